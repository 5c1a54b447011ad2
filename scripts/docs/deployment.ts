import { bindCatalogConfig, knotCatalogConfig } from '../../test/support/targets-catalog.ts'

/** Where each container of deploy/compose.yaml is. */
export const addresses = { nameplane: '172.30.53.10', bind: '172.30.53.11', knot: '172.30.53.12' }

const source = { catalog: 'default.catalog.invalid.', primary: { host: addresses.nameplane, port: 5354 } }

/** The configuration of the servers that deploy/compose.yaml starts: the recipes, with its addresses. */
export const deployedConfigs = {
  'deploy/bind/named.conf': bindCatalogConfig(source, {
    listen: { host: addresses.bind, port: 53 },
    folder: '/var/cache/bind',
  }),
  'deploy/knot/knot.conf': knotCatalogConfig(
    source,
    { listen: { host: addresses.knot, port: 53 }, folder: '/var/lib/knot' },
    'log:\n  - target: stderr\n    any: info\n',
  ),
}
