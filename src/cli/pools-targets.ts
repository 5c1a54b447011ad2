import { suggestion } from '../config/nearest.ts'
import type { Fault } from '../errors.ts'
import { poolTarget } from '../resources/pool-targets/fields.ts'
import { settle } from '../resources/pool-targets/options.ts'
import { type TargetKind, type TargetType, targetKinds } from '../target-kinds.ts'
import { type HostPort, hostPort, idOrNull, isMapping, kindOf, list, mapping, type Path, wrong } from './pools-read.ts'

export type OptionValue = string | number | boolean
export type TargetOptions = Readonly<Record<string, OptionValue>>

/** A target as a file wants it. `secrets` are those the file has: null takes one away. */
export type WantedTarget = {
  readonly path: Path
  readonly type: TargetType
  readonly description: string | null
  readonly tsigkey_id: string | null
  readonly masters: readonly HostPort[]
  readonly options: TargetOptions
  readonly secrets: Readonly<Record<string, string | null>>
  /** What was understood otherwise than it is written. */
  readonly notes: readonly string[]
}

const keys = ['type', 'description', 'tsigkey_id', 'masters', 'options']
const types = Object.keys(targetKinds)
const mostMasters = 16

/** What a target's type may have among its options. */
export const optionsOf = (type: TargetType): TargetKind['options'] => targetKinds[type].options

/** The options with what holds where nothing is said. */
export function withPresets(type: TargetType, options: TargetOptions): TargetOptions {
  const presets = Object.entries(optionsOf(type)).flatMap(([name, { preset }]) =>
    preset === undefined ? [] : [[name, preset] as const],
  )
  return { ...Object.fromEntries(presets), ...options }
}

/** Reads one target of a pool; `nameservers` are those of the pool, `pool` is what a person calls it. */
export function readTarget(
  value: unknown,
  path: Path,
  about: { readonly pool: string; readonly nameservers: readonly HostPort[] },
  faults: Fault[],
): WantedTarget | undefined {
  const given = mapping(value, path, keys, faults)
  if (given === undefined) return undefined
  const before = faults.length
  const type = readType(given.type, [...path, 'type'], about.pool, faults)
  const description = poolTarget.fields.description.parse(given.description ?? null, [...path, 'description'], faults)
  const tsigkey_id = idOrNull(given.tsigkey_id, [...path, 'tsigkey_id'], faults)
  const masters = list(given.masters ?? null, [...path, 'masters'], faults, hostPort)
  if (masters !== undefined && masters.length > mostMasters) {
    wrong(faults, [...path, 'masters'], `must be at most ${mostMasters}, not ${masters.length}`)
  }
  if (type === undefined) return undefined
  if (targetKinds[type].masters === 'required' && masters?.length === 0) {
    wrong(faults, [...path, 'masters'], `must have at least one for ${type}: where it takes zones from, which is us`)
  }
  const read = readOptions(type, given.options ?? {}, [...path, 'options'], faults)
  if (faults.length > before || read === undefined) return undefined
  const { options, notes } = type === 'nsd4' ? asOurNsd(read.options, about.nameservers) : { ...read, notes: [] }
  return {
    path,
    type,
    description: description!,
    tsigkey_id: tsigkey_id!,
    masters: masters as readonly HostPort[],
    options,
    secrets: read.secrets,
    notes,
  }
}

function readType(value: unknown, path: Path, pool: string, faults: Fault[]): TargetType | undefined {
  if (value === undefined || value === null) return wrong(faults, path, `is required: one of ${types.join(', ')}`)
  if (typeof value !== 'string') return wrong(faults, path, `must be one of ${types.join(', ')}, not ${kindOf(value)}`)
  if (Object.hasOwn(targetKinds, value)) return value as TargetType
  const told = JSON.stringify(value.slice(0, 40))
  return wrong(
    faults,
    path,
    `pool ${pool} has a target of type ${told}, which is not supported${suggestion(value, types)}; supported are ${types.join(', ')}`,
  )
}

type Read = { readonly options: TargetOptions; readonly secrets: Readonly<Record<string, string | null>> }

/** Holds options to the rules of the service; only whether a required secret is set is not known yet. */
function readOptions(type: TargetType, value: unknown, path: Path, faults: Fault[]): Read | undefined {
  if (!isMapping(value)) return wrong(faults, path, `must be a mapping of options, not ${kindOf(value)}`)
  const table = optionsOf(type)
  const isText = (name: string) => Object.hasOwn(table, name) && table[name]!.type === 'text'
  const given = Object.entries(value).map(([name, held]) => [
    name,
    typeof held === 'number' && isText(name) ? String(held) : held,
  ])
  const perhapsSet = Object.entries(table).flatMap(([name, { secret }]) => (secret ? [[name, '']] : []))
  const settled = settle(type, Object.fromEntries(given), Object.fromEntries(perhapsSet))
  for (const fault of settled.faults) faults.push({ ...fault, path: [...path, ...fault.path.slice(1)] })
  const secrets = Object.keys(value).filter((name) => Object.hasOwn(table, name) && table[name]!.secret)
  return {
    options: settled.options,
    secrets: Object.fromEntries(secrets.map((name) => [name, settled.secrets[name] ?? null])),
  }
}

/** Designate's nsd4 has the control channel in host and port; ours has it apart from where the server answers DNS. */
function asOurNsd(
  options: TargetOptions,
  nameservers: readonly HostPort[],
): { options: TargetOptions; notes: string[] } {
  const isOurs = options.control_host !== undefined || options.control_port !== undefined || options.port === 53
  if (isOurs) return { options, notes: [] }
  const { port: control_port = 8952, ...rest } = options
  const host = options.host ?? '127.0.0.1'
  const [only, ...more] = nameservers.filter((one) => one.host === host)
  const port = only !== undefined && more.length === 0 ? only.port : 53
  const notes = [
    `${host}:${control_port} is taken as the control channel of NSD, as Designate has it (control_port), and ${host}:${port} as where it answers DNS (port)`,
  ]
  return { options: { ...rest, port, control_port }, notes }
}
