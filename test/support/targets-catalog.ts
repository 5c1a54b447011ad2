import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import {
  bindCatalogOptions,
  bindCatalogZone,
  type CatalogSource,
  knotCatalog,
  pdnsCatalogCommands,
} from '../../src/backends/catalog-recipes.ts'
import { startDaemon } from './daemon.ts'
import { freePort } from './port.ts'
import type { DeliveryTarget } from './targets.ts'

/** Where a server answers, and the folder that it may write to. */
export type Place = { readonly listen: { readonly host: string; readonly port: number }; readonly folder: string }

/** The named.conf of a BIND that follows a catalog zone; docs/operating.md shows it. */
export function bindCatalogConfig(source: CatalogSource, { listen, folder }: Place, more = ''): string {
  return `options {
  directory "${folder}";
  listen-on port ${listen.port} { ${listen.host}; };
  listen-on-v6 { none; };
  recursion no;
  # Changes are told by Nameplane: nobody else needs to hear of them.
  notify no;
${bindCatalogOptions(source)}${more}};
${bindCatalogZone(source)}`
}

/** The knot.conf of a Knot that follows a catalog zone; docs/operating.md shows it. */
export function knotCatalogConfig(source: CatalogSource, { listen, folder }: Place, more = ''): string {
  return `server:
    listen: ${listen.host}@${listen.port}
    rundir: "${folder}"
database:
    storage: "${folder}"
${more}${knotCatalog(source)}`
}

/** The pdns.conf of a PowerDNS that follows a catalog zone; docs/operating.md shows it. */
export function pdnsCatalogConfig({ listen, folder }: Place, more = ''): string {
  return `launch=gsqlite3
gsqlite3-database=${folder}/pdns.sqlite3
local-address=${listen.host}
local-port=${listen.port}
secondary=yes
# A zone that was just listed is taken at the next look, and with the preset of 60 seconds that may be a minute away.
xfr-cycle-interval=1
${more}`
}

export type { CatalogSource }

/** What a test may want of a BIND: another text of its config, and more arguments. */
export type BindCatalogMore = { readonly change?: (config: string) => string; readonly args?: readonly string[] }

/** Starts a BIND that follows a catalog zone of a primary on loopback. */
export async function startBindCatalog(
  source: CatalogSource,
  { change = (config) => config, args = [] }: BindCatalogMore = {},
): Promise<DeliveryTarget> {
  const place = await newPlace('bind-catalog')
  const more = '  pid-file none;\n  session-keyfile none;\n  empty-zones-enable no;\n  dnssec-validation no;\n'
  const config = `${bindCatalogConfig(source, place, more)}controls { };\n`
  await writeFile(join(place.folder, 'named.conf'), change(config))
  return launched('named', ['-g', '-n', '1', ...args, '-c', join(place.folder, 'named.conf')], place, ['named.conf'])
}

/** Starts a Knot that follows a catalog zone of a primary on loopback. */
export async function startKnotCatalog(source: CatalogSource): Promise<DeliveryTarget> {
  const place = await newPlace('knot-catalog')
  const more = 'log:\n  - target: stderr\n    any: info\n'
  await writeFile(join(place.folder, 'knot.conf'), knotCatalogConfig(source, place, more))
  return launched('knotd', ['-c', join(place.folder, 'knot.conf')], place, ['knot.conf'])
}

const pdnsSchema = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql'

/** Starts a PowerDNS that follows a catalog zone of a primary on loopback. Once wiped it follows none. */
export async function startPdnsCatalog(source: CatalogSource): Promise<DeliveryTarget> {
  const place = await newPlace('pdns-catalog')
  const { folder } = place
  await writeFile(join(folder, 'pdns.conf'), pdnsCatalogConfig(place, `socket-dir=${folder}\nloglevel=6\n`))
  const database = new DatabaseSync(join(folder, 'pdns.sqlite3'))
  database.exec(await readFile(pdnsSchema, 'utf8'))
  database.close()
  const commands = pdnsCatalogCommands(source).replaceAll(/^pdnsutil/gm, `pdnsutil --config-dir=${folder}`)
  await promisify(execFile)('sh', ['-e', '-c', commands])
  const args = [`--config-dir=${folder}`, '--guardian=no', '--daemon=no', '--disable-syslog', '--write-pid=no']
  return launched('pdns_server', args, place, ['pdns.conf'])
}

async function newPlace(name: string): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), `nameplane-${name}-`))
  return { folder, listen: { host: '127.0.0.1', port: await freePort() } }
}

async function launched(
  name: string,
  args: readonly string[],
  { folder, listen: { port } }: Place,
  kept: readonly string[],
): Promise<DeliveryTarget> {
  const daemon = await startDaemon({ name, args, port, folder }).catch(async (error) => {
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  return {
    ...daemon,
    port,
    folder,
    options: { host: '127.0.0.1', port },
    async wipe() {
      const files = (await readdir(folder)).filter((file) => !kept.includes(file))
      for (const file of files) await rm(join(folder, file), { recursive: true, force: true })
    },
    async stop() {
      await daemon.halt()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
