import { stringify } from 'yaml'
import { nsdCatalog, pdnsCatalogCommands } from '../../src/backends/catalog-recipes.ts'
import type { TargetType } from '../../src/target-kinds.ts'
import { bindConfig } from '../../test/support/targets-bind9.ts'
import { bindCatalogConfig, knotCatalogConfig, pdnsCatalogConfig } from '../../test/support/targets-catalog.ts'
import { knotConfig } from '../../test/support/targets-knot.ts'
import { nsdConfig } from '../../test/support/targets-nsd.ts'
import { pdnsConfig, pdnsSchema } from '../../test/support/targets-pdns.ts'

/** How a server is set up, and how a pool is told of it. */
export type Recipe = {
  readonly title: string
  /** What to know before. */
  readonly about: string
  /** The server's configuration, and where it belongs. */
  readonly file: string
  readonly config: string
  /** Commands to be run once, where there are any. */
  readonly commands?: string
  readonly target: {
    readonly type: TargetType
    readonly masters?: readonly Place[]
    readonly options: Readonly<Record<string, string | number | boolean>>
  }
}

type Place = { readonly host: string; readonly port: number }

const primary: Place = { host: '192.0.2.1', port: 5354 }
const at = (host: string): Place => ({ host, port: 53 })
const source = { catalog: 'default.catalog.invalid.', primary }
const secret = 'bm90IGEgc2VjcmV0OiBtYWtlIG9uZSBvZiB5b3VyIG93bg=='
const key = { name: 'transfer.example.org', algorithm: 'hmac-sha256', secret }

/** Every server there is a recipe for; the tests set up theirs with the same functions. */
export const recipes: readonly Recipe[] = [
  {
    title: 'BIND by catalog',
    about: 'BIND 9.18 or later. The way to take when nothing speaks against it.',
    file: '/etc/bind/named.conf',
    config: bindCatalogConfig(source, { listen: at('192.0.2.11'), folder: '/var/cache/bind' }),
    target: { type: 'catalog', options: at('192.0.2.11') },
  },
  {
    title: 'BIND by catalog, with a key',
    about:
      'The same where transfers and NOTIFY are to be signed. `tsig-keygen transfer.example.org` makes a key; how Nameplane is told of it stands above. Other servers of a catalog take a key in the same way.',
    file: '/etc/bind/named.conf',
    config: bindCatalogConfig({ ...source, key }, { listen: at('192.0.2.11'), folder: '/var/cache/bind' }),
    target: { type: 'catalog', options: at('192.0.2.11') },
  },
  {
    title: 'BIND by rndc',
    about:
      'For BIND before 9.18, for zones in a `view`, and where BIND has zones of its own that a catalog might meet. No `rndc` program is needed.',
    file: '/etc/bind/named.conf',
    config: bindConfig({
      listen: at('192.0.2.11'),
      control: { host: '192.0.2.11', port: 953 },
      controlKey: { name: 'nameplane-control', algorithm: 'hmac-sha256', secret },
      allow: primary.host,
      folder: '/var/cache/bind',
    }),
    target: {
      type: 'bind9',
      masters: [primary],
      options: {
        ...at('192.0.2.11'),
        rndc_host: '192.0.2.11',
        rndc_key_name: 'nameplane-control',
        rndc_key_secret: secret,
      },
    },
  },
  {
    title: 'Knot by catalog',
    about: 'Knot DNS 3.0 or later. It needs nothing beyond the catalog to be fast.',
    file: '/etc/knot/knot.conf',
    config: knotCatalogConfig(source, { listen: at('192.0.2.12'), folder: '/var/lib/knot' }),
    target: { type: 'catalog', options: at('192.0.2.12') },
  },
  {
    title: 'Knot by control socket',
    about:
      'The quickest way, for a Knot on the machine of Nameplane, whose user must be in the group `knot`. Knot has to run from a configuration database: with `knotd -C /var/lib/knot/confdb`, on Debian by `KNOTD_ARGS` in `/etc/default/knot`.',
    file: 'knot.conf, which is imported once and not read after that',
    config: knotConfig({ listen: '192.0.2.1@53', run: '/run/knot', storage: '/var/lib/knot' }),
    commands: 'knotc -C /var/lib/knot/confdb conf-import knot.conf\n',
    target: { type: 'knot', masters: [primary], options: { ...at('192.0.2.1'), socket: '/run/knot/knot.sock' } },
  },
  {
    title: 'NSD by control channel',
    about:
      'Any NSD 4; up to 4.8 the only way. `nsd-control-setup` makes the certificates; `nsd_control.pem`, `nsd_control.key` and `nsd_server.pem` have to be on the machine of Nameplane too, where its user can read them.',
    file: '/etc/nsd/nsd.conf',
    config: nsdConfig({
      listen: '192.0.2.13@53',
      control: { host: '192.0.2.13', port: 8952 },
      certificates: '/etc/nsd',
      folder: '/var/lib/nsd',
      primary: `${primary.host}@${primary.port}`,
    }),
    target: {
      type: 'nsd4',
      options: {
        ...at('192.0.2.13'),
        certfile: '/etc/nameplane/nsd_control.pem',
        keyfile: '/etc/nameplane/nsd_control.key',
        ca_certs: '/etc/nameplane/nsd_server.pem',
        pattern: 'slave',
      },
    },
  },
  {
    title: 'NSD by catalog',
    about: 'NSD 4.9 or later. Our tests have no such NSD: this recipe alone is from its manual and has not been run.',
    file: '/etc/nsd/nsd.conf, beside where it listens and keeps its files',
    config: nsdCatalog(source),
    target: { type: 'catalog', options: at('192.0.2.13') },
  },
  {
    title: 'PowerDNS by API',
    about: 'PowerDNS 4.5 or later with a database of its own, here SQLite.',
    file: '/etc/powerdns/pdns.conf',
    config: pdnsConfig({
      listen: at('192.0.2.14'),
      api: { host: '192.0.2.14', port: 8081, key: secret },
      from: primary.host,
      folder: '/var/lib/powerdns',
    }),
    commands: `sqlite3 /var/lib/powerdns/pdns.sqlite3 < ${pdnsSchema}\n`,
    target: {
      type: 'pdns4',
      masters: [primary],
      options: { ...at('192.0.2.14'), api_endpoint: 'http://192.0.2.14:8081', api_token: secret },
    },
  },
  {
    title: 'PowerDNS by catalog',
    about: 'PowerDNS 4.7 or later with a database of its own.',
    file: '/etc/powerdns/pdns.conf',
    config: pdnsCatalogConfig({ listen: at('192.0.2.14'), folder: '/var/lib/powerdns' }),
    commands: `sqlite3 /var/lib/powerdns/pdns.sqlite3 < ${pdnsSchema}\n${pdnsCatalogCommands(source)}`,
    target: { type: 'catalog', options: at('192.0.2.14') },
  },
]

/** The pools.yaml of a recipe. */
export const poolsFile = ({ target }: Pick<Recipe, 'target'>): string =>
  stringify([{ name: 'default', targets: [target] }])

/** All recipes, as docs/operating.md shows them. */
export function recipesText(): string {
  return recipes
    .map((recipe) => {
      const { title, about, file, config, commands } = recipe
      const once = commands === undefined ? '' : `Once:\n\n${fenced('console', asTyped(commands))}\n\n`
      const path = file.startsWith('/') ? file.replace(/^\S+?(?=,|$)/, '`$&`') : file.replace(/^\S+?(?=,)/, '`$&`')
      return `#### ${title}\n\n${about}\nIn ${path}:\n\n${fenced('conf', config)}\n\n${once}${fenced('yaml', poolsFile(recipe))}`
    })
    .join('\n\n')
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
const asTyped = (commands: string): string => commands.replaceAll(/^(?=.)/gm, '# ')
