import type { TargetType } from '../../src/target-kinds.ts'
import type { DeliveryTarget } from '../../test/support/targets.ts'
import { startBindTarget } from '../../test/support/targets-bind9.ts'
import {
  type CatalogSource,
  startBindCatalog,
  startKnotCatalog,
  startPdnsCatalog,
} from '../../test/support/targets-catalog.ts'
import { startKnotTarget } from '../../test/support/targets-knot.ts'
import { startNsdTarget } from '../../test/support/targets-nsd.ts'
import { startPdnsTarget } from '../../test/support/targets-pdns.ts'

/** A server that zones are delivered to, as its recipe sets it up or with what its own presets are. */
export type Contestant = {
  readonly title: string
  readonly type: TargetType
  readonly start: (source: CatalogSource) => Promise<DeliveryTarget>
  /** Where its presets make it slow, so many times fewer changes or zones are measured. */
  readonly slow?: { readonly changes?: number; readonly zones?: number }
}

const bindPresets = (config: string): string =>
  config
    .replace(' min-update-interval 0', '')
    .replaceAll(/^ *(serial-query-rate|transfers-in|transfers-per-ns) .*\n/gm, '')

export const contestants: Readonly<Record<string, Contestant>> = {
  bind9: { title: 'BIND by rndc', type: 'bind9', start: () => startBindTarget() },
  'bind-catalog': { title: 'BIND by catalog', type: 'catalog', start: (source) => startBindCatalog(source) },
  'bind-catalog-presets': {
    title: "BIND by catalog, BIND's presets",
    type: 'catalog',
    start: (source) => startBindCatalog(source, { change: bindPresets }),
    slow: { zones: 5 },
  },
  knot: { title: 'Knot by control socket', type: 'knot', start: () => startKnotTarget() },
  'knot-catalog': { title: 'Knot by catalog', type: 'catalog', start: startKnotCatalog },
  nsd4: { title: 'NSD by control channel', type: 'nsd4', start: ({ primary }) => startNsdTarget(primary.port) },
  'nsd4-presets': {
    title: "NSD by control channel, NSD's presets",
    type: 'nsd4',
    start: ({ primary }) => startNsdTarget(primary.port, { more: 'server:\n  xfrd-reload-timeout: 1\n' }),
    slow: { changes: 10, zones: 5 },
  },
  pdns4: { title: 'PowerDNS by API', type: 'pdns4', start: () => startPdnsTarget() },
  'pdns-catalog': {
    title: 'PowerDNS by catalog',
    type: 'catalog',
    start: startPdnsCatalog,
    slow: { zones: 5 },
  },
}
