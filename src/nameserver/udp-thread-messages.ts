import type { MessagePort } from 'node:worker_threads'
import type { TsigKey } from '../dns/tsig.ts'
import type { ArenaHandles } from './arena/space.ts'
import type { RateSettings } from './rate-limit.ts'
import type { Client, DnsSettings } from './server-state.ts'
import type { Listen } from './udp-dgram.ts'

/** Words of the memory by which a thread that waits for datagrams is told of messages and of the end. */
export const STOP = 0
export const MAIL = 1
export const CONTROL_WORDS = 2

export type UdpThreadData = {
  readonly port: MessagePort
  readonly control: SharedArrayBuffer
  readonly counters: SharedArrayBuffer
  readonly listen: readonly Listen[]
  /** Whether other threads listen there too. */
  readonly shared: boolean
  readonly arena: ArenaHandles
  readonly settings: DnsSettings
  readonly rate: { readonly settings: RateSettings; readonly memory: SharedArrayBuffer } | undefined
  readonly keys: readonly TsigKey[]
}

/** What a thread is told. Every `forward` is met with one `send`, without reply where there is none. */
export type ToUdpThread =
  | { readonly kind: 'arena'; readonly handles: ArenaHandles }
  | { readonly kind: 'keys'; readonly keys: readonly TsigKey[] }
  | { readonly kind: 'send'; readonly route: Uint8Array; readonly reply: Uint8Array | undefined }

/** What a thread tells. */
export type FromUdpThread =
  | { readonly kind: 'listening'; readonly addresses: readonly Listen[] }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'forward'; readonly request: Uint8Array; readonly client: Client; readonly route: Uint8Array }
  | { readonly kind: 'wanted'; readonly id: string }
  | { readonly kind: 'report'; readonly error: unknown }
