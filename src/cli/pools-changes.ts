import { isDeepStrictEqual } from 'node:util'
import type { Fault } from '../errors.ts'
import type { GivenCatalog } from '../resources/pool-delivery/fields.ts'
import { Changes } from './pools-change.ts'
import type { WantedPool } from './pools-file.ts'
import { addressKey, type HostPort, wrong } from './pools-read.ts'
import type { PoolState } from './pools-state.ts'
import { targetChanges } from './pools-target-changes.ts'
import { addressText, shown } from './pools-words.ts'

const path = '/v2/pools/{pool_id}'

/** What makes a pool of the service, or none, that of the file. */
export function poolChanges(
  wanted: WantedPool,
  state: PoolState | undefined,
  sendSecrets: boolean,
  faults: Fault[],
): Changes {
  const into = new Changes(wanted.name, state?.pool.id, faults)
  poolFields(into, wanted, state)
  if (wanted.targets !== undefined) targetChanges(into, wanted.targets, state?.targets ?? [], sendSecrets)
  delivery(into, wanted, state)
  nameservers(into, wanted, state)
  alsoNotifies(into, wanted, state)
  return into
}

function poolFields(into: Changes, wanted: WantedPool, state: PoolState | undefined): void {
  const { name, description, attributes, ns_records } = wanted
  const given = Object.entries({ name, description, attributes, ns_records }).filter(([, value]) => value !== undefined)
  if (state === undefined) {
    for (const [field, value] of given) {
      const text = valueText(field, value)
      if (field !== 'name' && text !== nothing) into.lines.push(`+ ${field}: ${text}`)
    }
    into.create('pool', '/v2/pools', Object.fromEntries(given), `create pool ${shown(name)}`)
    return
  }
  const present: Readonly<Record<string, unknown>> = { ...state.pool, attributes: state.pool.attributes ?? {} }
  if (ns_records?.length === 0 && state.pool.ns_records.length > 0) {
    wrong(into.faults, [...wanted.path, 'ns_records'], 'must keep at least one name server: zones of this pool need it')
  }
  const changed = given.filter(([field, value]) => !isDeepStrictEqual(value, present[field]))
  if (changed.length === 0) return
  for (const [field, value] of changed) {
    into.lines.push(`~ ${field}: ${valueText(field, present[field])} → ${valueText(field, value)}`)
  }
  const says = `change ${changed.map(([field]) => field).join(', ')} of pool ${shown(state.pool.name)}`
  into.change('pool fields', path, Object.fromEntries(changed), says)
}

const nothing = '(none)'

function valueText(field: string, value: unknown): string {
  if (field === 'ns_records') {
    const records = value as PoolState['pool']['ns_records']
    return records.map(({ hostname, priority }) => `${shown(hostname)} (${priority})`).join(', ') || nothing
  }
  if (field !== 'attributes') return value === null ? nothing : shown(value)
  const pairs = Object.entries(value as object)
  return pairs.map(([key, text]) => `${shown(key)}=${shown(text)}`).join(', ') || nothing
}

function delivery(into: Changes, wanted: WantedPool, state: PoolState | undefined): void {
  const present = state?.delivery ?? { threshold_percentage: 100, grace_seconds: 300, catalog_zone: null }
  const body: Record<string, unknown> = {}
  for (const field of ['threshold_percentage', 'grace_seconds'] as const) {
    if (wanted[field] === undefined || wanted[field] === present[field]) continue
    body[field] = wanted[field]
    into.lines.push(`~ ${field}: ${present[field]} → ${wanted[field]}`)
  }
  const told = wanted.catalog_zone === undefined ? [] : catalogDetails(wanted.catalog_zone, state)
  if (told.length > 0) {
    body.catalog_zone = wanted.catalog_zone
    into.lines.push(...told)
  }
  if (Object.keys(body).length === 0) return
  into.change(
    'delivery',
    `${path}/delivery`,
    body,
    `change ${Object.keys(body).join(', ')} of pool ${shown(into.pool)}`,
  )
}

function catalogDetails(wanted: GivenCatalog | null, state: PoolState | undefined): string[] {
  const present = state?.delivery.catalog_zone ?? null
  if (wanted === null) return present === null ? [] : [`- catalog_zone ${present.catalog_zone_fqdn}`]
  const { catalog_zone_tsig_key: key, catalog_zone_tsig_algorithm: algorithm } = wanted
  if (present === null)
    return [`+ catalog_zone ${wanted.catalog_zone_fqdn}${key === undefined ? '' : ' with a key (secret)'}`]
  const told: string[] = []
  for (const field of ['catalog_zone_fqdn', 'catalog_zone_refresh'] as const) {
    if (wanted[field] !== present[field]) told.push(`~ ${field}: ${shown(present[field])} → ${shown(wanted[field])}`)
  }
  // Keys are shown to administrators, so this secret can be compared.
  const held = state?.catalogKey
  if (key !== undefined && key !== held?.secret) told.push('~ catalog_zone_tsig_key: (secret) set')
  if (key !== undefined && algorithm !== null && algorithm !== held?.algorithm) {
    told.push(`~ catalog_zone_tsig_algorithm: ${shown(held?.algorithm)} → ${algorithm}`)
  }
  return told
}

function nameservers(into: Changes, wanted: WantedPool, state: PoolState | undefined): void {
  if (wanted.nameservers === undefined) return
  const present = new Map(state?.nameservers.map((one) => [addressKey(one), one]))
  const below = `${path}/nameservers`
  for (const one of wanted.nameservers) {
    const { host, port, tsigkey_id } = one
    const text = addressText(one)
    const found = present.get(addressKey(one))
    present.delete(addressKey(one))
    if (found === undefined) {
      into.lines.push(`+ nameserver ${text}${tsigkey_id === null ? '' : ` with the key ${tsigkey_id}`}`)
      into.create('add host', below, { host, port, tsigkey_id }, `add nameserver ${text}`)
    } else if (found.tsigkey_id !== tsigkey_id) {
      into.lines.push(`~ nameserver ${text}`, `    tsigkey_id: ${shown(found.tsigkey_id)} → ${shown(tsigkey_id)}`)
      into.change('change', `${below}/${found.id}`, { tsigkey_id }, `change nameserver ${text}`)
    }
  }
  removeHosts(into, 'nameserver', below, present.values())
}

function alsoNotifies(into: Changes, wanted: WantedPool, state: PoolState | undefined): void {
  if (wanted.also_notifies === undefined) return
  const present = new Map(state?.also_notifies.map((one) => [addressKey(one), one]))
  const below = `${path}/also_notifies`
  for (const one of wanted.also_notifies) {
    if (present.delete(addressKey(one))) continue
    into.lines.push(`+ also_notify ${addressText(one)}`)
    into.create('add host', below, one, `add also_notify ${addressText(one)}`)
  }
  removeHosts(into, 'also_notify', below, present.values())
}

function removeHosts(into: Changes, what: string, below: string, hosts: Iterable<HostPort & { id: string }>): void {
  for (const one of hosts) {
    into.lines.push(`- ${what} ${addressText(one)}`)
    into.remove('remove host', `${below}/${one.id}`, `remove ${what} ${addressText(one)}`)
  }
}
