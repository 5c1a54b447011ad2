import type { HostPort } from './kind.ts'

/** What a server must know to follow a catalog zone. */
export type CatalogSource = {
  /** The name of the catalog zone. */
  readonly catalog: string
  /** Where it and its members are taken from: an address, not a name. */
  readonly primary: HostPort
  /** What transfers and NOTIFY are signed with; where the secret is left out, the reader has to fill it in. */
  readonly key?: { readonly name: string; readonly algorithm: string; readonly secret?: string } | undefined
}

const undotted = (name: string): string => name.replace(/(?<=.)\.$/, '')
const secretOf = ({ secret }: NonNullable<CatalogSource['key']>): string => secret ?? '(its secret, in base64)'

/** For BIND 9.18 and later: lines for its options block. */
export function bindCatalogOptions({ catalog, primary, key }: CatalogSource): string {
  return `  catalog-zones {
    zone "${undotted(catalog)}" default-primaries { ${bindPrimary(primary, key)} }
      # With the preset of 5 seconds, a new zone waits for as long.
      in-memory no min-update-interval 0;
  };
  # With the presets (20, 10 and 2), a thousand new zones take half a minute. Many more at a time than these may be refused:
  # dns_tcp_per_client of Nameplane is 200.
  serial-query-rate 2000;
  transfers-in 100;
  transfers-per-ns 100;
`
}

/** For BIND: what stands beside its options block. */
export function bindCatalogZone({ catalog, primary, key }: CatalogSource): string {
  return `${key === undefined ? '' : `key "${undotted(key.name)}" {\n  algorithm ${key.algorithm};\n  secret "${secretOf(key)}";\n};\n`}zone "${undotted(catalog)}" {
  type secondary;
  file "${undotted(catalog)}.zone";
  primaries { ${bindPrimary(primary, key)} };
  # It lists all zones there are: nobody else needs it.
  allow-transfer { none; };
};
`
}

const bindPrimary = ({ host, port }: HostPort, key: CatalogSource['key']): string =>
  `${host} port ${port}${key === undefined ? '' : ` key "${undotted(key.name)}"`};`

/** For Knot DNS 3.0 and later: sections of its knot.conf. */
export function knotCatalog({ catalog, primary, key }: CatalogSource): string {
  const named = key === undefined ? '' : `\n    key: ${undotted(key.name)}`
  return `${key === undefined ? '' : `key:\n  - id: ${undotted(key.name)}\n    algorithm: ${key.algorithm}\n    secret: ${secretOf(key)}\n`}remote:
  - id: nameplane
    address: ${primary.host}@${primary.port}${named}
acl:
  - id: nameplane
    address: ${primary.host}
    # Questions for a catalog zone are refused to those who may not transfer it, and Nameplane asks how it stands.
    action: [notify, transfer]${named}
template:
  - id: nameplane
    master: nameplane
    acl: nameplane
    # Zones are kept in the journal alone: no file is written for each.
    zonefile-load: none
    zonefile-sync: -1
    journal-content: all
zone:
  - domain: ${catalog}
    template: nameplane
    catalog-role: interpret
    catalog-template: nameplane
`
}

/** For PowerDNS 4.7 and later with a database behind it: commands to be run once; pdns.conf must say secondary=yes. */
export function pdnsCatalogCommands({ catalog, primary, key }: CatalogSource): string {
  const host = primary.host.includes(':') ? `[${primary.host}]` : primary.host
  const zone = undotted(catalog)
  const signed =
    key === undefined
      ? ''
      : `pdnsutil import-tsig-key ${undotted(key.name)} ${key.algorithm} '${secretOf(key)}'
pdnsutil activate-tsig-key ${zone} ${undotted(key.name)} secondary
`
  return `pdnsutil create-secondary-zone ${zone} ${host}:${primary.port}
pdnsutil set-kind ${zone} consumer
${signed}`
}

/** For NSD 4.9 and later: sections of its nsd.conf. */
export function nsdCatalog({ catalog, primary, key }: CatalogSource): string {
  const name = key === undefined ? 'NOKEY' : undotted(key.name)
  const from = `  request-xfr: ${primary.host}@${primary.port} ${name}\n  allow-notify: ${primary.host} ${name}\n`
  return `server:
  # With the preset of 1, every change takes a second longer.
  xfrd-reload-timeout: 0
${key === undefined ? '' : `key:\n  name: "${name}"\n  algorithm: ${key.algorithm}\n  secret: "${secretOf(key)}"\n`}pattern:
  name: "nameplane"
${from}zone:
  name: "${undotted(catalog)}"
  catalog: consumer
  catalog-member-pattern: "nameplane"
${from}`
}

/** What to write into the configuration of a server of a type of target, or, where that does not tell, of any server. */
export function catalogRecipes(source: CatalogSource, type: string): string {
  const recipes: Readonly<Record<string, string>> = {
    bind9: `For BIND, in named.conf:
options {
${bindCatalogOptions(source)}};
${bindCatalogZone(source)}`,
    knot: `For Knot, in knot.conf:
${knotCatalog(source)}`,
    pdns4: `For PowerDNS, with secondary=yes in pdns.conf, once:
${pdnsCatalogCommands(source)}`,
    nsd4: `For NSD 4.9 and later, in nsd.conf:
${nsdCatalog(source)}`,
  }
  return `let the server follow ${source.catalog} ${recipes[type] ?? Object.values(recipes).join('\n')}`
}
