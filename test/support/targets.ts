import type { HostPort, Target, TargetZone } from '../../src/backends/kind.ts'
import { type TargetOption, type TargetType, targetKinds } from '../../src/target-kinds.ts'
import { soaNumber } from '../../src/zonedata/zone.ts'
import type { Daemon } from './daemon.ts'
import { ask, askAll } from './dns-client.ts'
import { askUdp } from './dns-transports.ts'
import { type MasterKey, update } from './masters.ts'
import { query } from './nameserver.ts'
import { type NameServer, startNamed } from './nameservers.ts'
import { until } from './served.ts'

/** A real server that zones are delivered to. */
export type DeliveryTarget = Daemon & {
  /** Where it answers DNS, on loopback. */
  readonly port: number
  readonly folder: string
  /** The options of a target that stands for it, secrets included. */
  readonly options: Readonly<Record<string, string | number | boolean>>
  /** Takes all its zones away while it is halted, as on a machine that was replaced. */
  wipe(): Promise<void>
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

/** What a target is beside its options. */
type Beside = { readonly masters?: readonly HostPort[]; readonly key?: MasterKey }

const SOA = 6
const text = '@ 60 SOA ns1 host 1 3600 600 86400 60\n@ 60 NS ns1\nns1 60 A 192.0.2.1\n'

/** A target of a kind as its driver gets it, with what is preset. */
export function targetOf(type: TargetType, options: Target['options'], { masters = [], key }: Beside = {}): Target {
  const presets: Record<string, string | number | boolean> = {}
  const known: Readonly<Record<string, TargetOption>> = targetKinds[type].options
  for (const [name, { preset }] of Object.entries(known)) if (preset !== undefined) presets[name] = preset
  return {
    id: `a ${type}`,
    type,
    masters,
    options: { ...presets, ...options },
    key: key && {
      name: key.name,
      algorithm: key.algorithm as NonNullable<Target['key']>['algorithm'],
      secret: Buffer.from(key.secret, 'base64'),
    },
  }
}

export const zoneOf = (name: string): TargetZone => ({ id: `id of ${name}`, name })

/** A primary that has these zones, each with serial 1, gives them to all and takes changes of them. */
export function startPrimary(zones: readonly TargetZone[]): Promise<NameServer> {
  const texts = zones.map(({ name }) => ({ origin: name, text }))
  return startNamed(texts, 'allow-update { 127.0.0.1; }; tcp-clients 1000; transfers-out 1000;')
}

/** The serial that a server on loopback has of a zone; undefined where it has none. */
export async function serialOf(port: number, name: string): Promise<number | undefined> {
  const { answer } = await ask(port, { name, type: SOA, class: 1 })
  return answer[0] && soaNumber(answer[0].rdata, 0)
}

/** Waits, for a bounded time, until a server has this serial of a zone, or none of it for undefined. */
export const hasSerial = (port: number, name: string, serial: number | undefined): Promise<boolean> =>
  until(async () => (await serialOf(port, name)) === serial)

/** Waits until a server answers for all of these zones. */
export function hasAll(port: number, zones: readonly TargetZone[]): Promise<boolean> {
  const questions = zones.map(({ name }) => ({ name, type: SOA, class: 1 }))
  return until(async () => (await askAll(port, questions)).every(({ answer }) => answer.length === 1), 60_000)
}

/** How many milliseconds each of some changes at the primary took, from NOTIFY until a server has it. */
export async function timeChanges(primary: NameServer, port: number, name: string, changes: number): Promise<number[]> {
  const took: number[] = []
  const before = (await serialOf(primary.port, name)) ?? 0
  for (let serial = before + 1; serial <= before + changes; serial++) {
    await update(primary, name, [`update add n${serial}.${name} 60 A 192.0.2.9`])
    const start = performance.now()
    await askUdp({ host: '127.0.0.1', port }, query(name, 'SOA', { opcode: 4 }), 500)
    if (!(await hasSerial(port, name, serial))) throw new Error(`serial ${serial} of ${name} did not come`)
    took.push(performance.now() - start)
  }
  return took.toSorted((a, b) => a - b)
}
