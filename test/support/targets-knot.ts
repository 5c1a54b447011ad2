import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startDaemon } from './daemon.ts'
import { freePort } from './port.ts'
import type { DeliveryTarget } from './targets.ts'

export type KnotConfig = {
  /** Where it answers, as `127.0.0.1@53`. */
  readonly listen: string
  /** The folder of its sockets, with knot.sock for control. */
  readonly run: string
  /** The folder of its data. */
  readonly storage: string
  /** More lines of the server block. */
  readonly more?: string
}

/** The knot.conf, to be imported into a configuration database, of a Knot that zones are delivered to; docs/operating.md shows it. */
export function knotConfig({ listen, run, storage, more = '' }: KnotConfig): string {
  return `server:
    listen: ${listen}
    rundir: "${run}"
${more}database:
    storage: "${storage}"
    # What is lost in a crash comes again by transfer; else the disk is waited for with each zone.
    journal-db-mode: asynchronous
log:
  - target: syslog
    any: info
template:
  # Content comes from Nameplane by transfer and is kept in the journal: there are no zone files to write.
  - id: default
    storage: "${storage}"
    zonefile-sync: -1
    zonefile-load: none
    journal-content: all
`
}

/** What a test may want of it: other text than the config has, and a start from the file, without a database. */
export type KnotMore = { readonly change?: (config: string) => string; readonly fromFile?: boolean }

/** Starts a Knot that is told over its control socket which zones to take. */
export async function startKnotTarget({
  change = (config) => config,
  fromFile = false,
}: KnotMore = {}): Promise<DeliveryTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-knot-'))
  const port = await freePort()
  const [storage, database, file] = [join(folder, 'storage'), join(folder, 'confdb'), join(folder, 'knot.conf')]
  const config = knotConfig({
    listen: `127.0.0.1@${port}`,
    run: folder,
    storage,
    more: '    udp-workers: 1\n    tcp-workers: 2\n    background-workers: 2\n',
  })
  await writeFile(file, change(config.replace('target: syslog', 'target: stderr')))
  const prepare = async () => {
    await mkdir(storage, { recursive: true })
    if (!fromFile) await promisify(execFile)('/usr/sbin/knotc', ['-C', database, 'conf-import', file])
  }
  const control = join(folder, 'knot.sock')
  const launch = { name: 'knotd', args: fromFile ? ['-c', file] : ['-C', database], port, folder, control }
  const daemon = await prepare()
    .then(() => startDaemon(launch))
    .catch(async (error) => {
      await rm(folder, { recursive: true, force: true })
      throw error
    })
  return {
    ...daemon,
    port,
    folder,
    options: { host: '127.0.0.1', port, socket: control },
    async wipe() {
      await rm(storage, { recursive: true, force: true })
      await rm(database, { recursive: true, force: true })
      await prepare()
    },
    async stop() {
      await daemon.halt()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
