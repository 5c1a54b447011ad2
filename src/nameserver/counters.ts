import type { Transport } from './server-state.ts'

// One thread writes a segment and others read it, so no increment is lost; doubles count to 2^53 without allocating.
const TYPES = 512
const RCODES = 24
const perTransport = TYPES + 1 + RCODES + 1
const events = [
  'rate_dropped',
  'rate_slipped',
  'ignored',
  'truncated',
  'send_failed',
  'forwarded',
  'transfer',
  'transfer_refused',
] as const
const eventsAt = 2 * perTransport

/** What can happen to a request beside being answered. */
export type DnsEvent = (typeof events)[number]

/** How many doubles one thread's segment has. */
export const COUNTER_SLOTS = eventsAt + events.length

/** What one thread has answered, in shared memory. */
export class Counters {
  readonly slots: Float64Array<SharedArrayBuffer>

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(COUNTER_SLOTS * 8)) {
    this.slots = new Float64Array(memory)
  }

  /** Counts a reply by the type its question asks for, as its bytes tell both. */
  reply(transport: Transport, bytes: Uint8Array, start: number, end: number): void {
    const base = transport === 'udp' ? 0 : perTransport
    const type = questionType(bytes, start, end)
    const rcode = bytes[start + 3]! & 0xf
    this.#add(base + (type < TYPES ? type : TYPES))
    this.#add(base + TYPES + 1 + rcode)
    if ((bytes[start + 2]! & 2) !== 0) this.event('truncated')
  }

  event(event: DnsEvent): void {
    this.#add(eventsAt + events.indexOf(event))
  }

  #add(slot: number): void {
    this.slots[slot] = this.slots[slot]! + 1
  }
}

/** The sums over the segments of all threads. Types from 512 on count as `other`; types and rcodes never seen are left out. */
export function sumCounters(segments: readonly Float64Array[]): CounterSums {
  const sum = (slot: number) => segments.reduce((total, slots) => total + slots[slot]!, 0)
  const seen = (at: number, count: number) =>
    new Map(Array.from({ length: count }, (_, i) => [i, sum(at + i)] as const).filter(([, value]) => value > 0))
  const of = (base: number) => ({ types: seen(base, TYPES + 1), rcodes: seen(base + TYPES + 1, RCODES + 1) })
  return {
    udp: of(0),
    tcp: of(perTransport),
    events: Object.fromEntries(events.map((event, i) => [event, sum(eventsAt + i)])) as Record<DnsEvent, number>,
  }
}

/** Replies by number of type (512: all above) and rcode. */
export type ReplyCounts = { readonly types: ReadonlyMap<number, number>; readonly rcodes: ReadonlyMap<number, number> }
export type CounterSums = {
  readonly udp: ReplyCounts
  readonly tcp: ReplyCounts
  readonly events: Readonly<Record<DnsEvent, number>>
}

/** The type asked for in the first question, which our replies never compress; 0 where there is none. */
function questionType(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start + 5] === 0) return 0
  let at = start + 12
  while (at < end && bytes[at] !== 0) at += 1 + bytes[at]!
  return at + 2 < end ? (bytes[at + 1]! << 8) | bytes[at + 2]! : 0
}
