import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startDaemon } from './daemon.ts'
import { freePort } from './port.ts'
import type { DeliveryTarget } from './targets.ts'

type Place = { readonly host: string; readonly port: number }

export type PdnsConfig = {
  /** Where it answers DNS. */
  readonly listen: Place
  /** Where its HTTP API listens, and the key that callers have. */
  readonly api: Place & { readonly key: string }
  /** The address that Nameplane calls and notifies from. */
  readonly from: string
  /** The folder of its database. */
  readonly folder: string
  /** More lines. */
  readonly more?: string
}

/** The pdns.conf of a PowerDNS that zones are delivered to; docs/operating.md shows it. */
export function pdnsConfig({ listen, api, from, folder, more = '' }: PdnsConfig): string {
  return `launch=gsqlite3
gsqlite3-database=${folder}/pdns.sqlite3
# A zone that is lost with the power is delivered again: the disk need not be waited for at each change.
gsqlite3-pragma-synchronous=1
local-address=${listen.host}
local-port=${listen.port}
secondary=yes
# How many zones are taken at a time; with the default of 2, many new zones take longer.
retrieval-threads=8
# A NOTIFY that comes while PowerDNS is busy with others may wait for the next look; with the default, that is a minute.
xfr-cycle-interval=5
# For how many seconds an answer is kept. One that is asked for just while a zone is being taken is kept as it was before:
# with the defaults, that hides a change for 20 seconds and a new zone for a minute.
cache-ttl=1
query-cache-ttl=1
negquery-cache-ttl=1
allow-notify-from=${from}
allow-axfr-ips=${from}
webserver=yes
webserver-address=${api.host}
webserver-port=${api.port}
webserver-allow-from=${from}
api=yes
api-key=${api.key}
${more}`
}

/** Where Debian's pdns-backend-sqlite3 has the tables that the database must have before the first start. */
export const pdnsSchema = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql'

/** Starts a PowerDNS that is told by its HTTP API which zones to take, and from where; `more` ends its pdns.conf. */
export async function startPdnsTarget({ more = '' }: { readonly more?: string } = {}): Promise<DeliveryTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-pdns-'))
  const [port, apiPort] = [await freePort(), await freePort()]
  const config = pdnsConfig({
    listen: { host: '127.0.0.1', port },
    api: { host: '127.0.0.1', port: apiPort, key: 'the key of the API' },
    from: '127.0.0.1',
    folder,
    more: `socket-dir=${folder}\nsecurity-poll-suffix=\nloglevel=5\nwebserver-loglevel=none\n${more}`,
  })
  await writeFile(join(folder, 'pdns.conf'), config)
  const makeDatabase = async () => {
    for (const end of ['', '-wal', '-shm']) await rm(join(folder, `pdns.sqlite3${end}`), { force: true })
    const database = new DatabaseSync(join(folder, 'pdns.sqlite3'))
    database.exec(await readFile(pdnsSchema, 'utf8'))
    database.close()
  }
  await makeDatabase()
  const args = [`--config-dir=${folder}`, '--guardian=no', '--daemon=no', '--disable-syslog', '--write-pid=no']
  const launch = { name: 'pdns_server', args, port, folder, control: apiPort }
  const daemon = await startDaemon(launch).catch(async (error) => {
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  return {
    ...daemon,
    port,
    folder,
    options: {
      host: '127.0.0.1',
      port,
      api_endpoint: `http://127.0.0.1:${apiPort}`,
      api_token: 'the key of the API',
    },
    wipe: makeDatabase,
    async stop() {
      await daemon.halt()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
