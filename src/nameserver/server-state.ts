import type { Message } from '../dns/message.ts'
import type { TsigKey } from '../dns/tsig.ts'
import type { Answer, Question } from '../zonedata/answer.ts'
import type { CookieCheck } from './cookies.ts'
import type { Counters } from './counters.ts'
import type { RateLimiter } from './rate-limit.ts'

/** All that the handler needs to answer; the same for every transport and thread. */
export type ServerState = {
  readonly zones: ServedZones
  /** The key of a lower-cased name. */
  readonly findKey: (name: string) => TsigKey | undefined
  readonly settings: DnsSettings
  readonly limiter: RateLimiter | undefined
  readonly counters: Counters
  /** Answers AXFR and IXFR, refusals included: one message, several, or none where another thread answers. */
  readonly transfer: (request: Request) => Uint8Array | AsyncIterable<Uint8Array> | undefined
  /** Acts on a NOTIFY and gives the rcode to answer with; undefined where another thread answers. */
  readonly notify: (request: Request) => number | Promise<number> | undefined
  /** Whether a client is one of the servers of a pool: those take many zones at a time. */
  readonly isPoolServer?: (address: string) => boolean
  /** Told of a zone that is asked for before it has been read. */
  readonly wanted: (zoneId: string) => void
  /** Told of what should not happen; the client gets SERVFAIL. */
  readonly report: (error: unknown) => void
}

/** The zones at hand. */
export type ServedZones = {
  /** What the closest zone says, with chains followed over all zones; undefined where there is none. */
  answer(question: Question): ServedAnswer | undefined
}

/** What is known of a zone: its answer, that it is still to be read, or why it cannot be served. */
export type ServedAnswer =
  | { readonly state: 'ready'; readonly zone: ServedZone; readonly answer: Answer }
  | { readonly state: 'awaited'; readonly id: string }
  | { readonly state: 'failed'; readonly reason: string }

/** The zone an answer came from. */
export type ServedZone = { readonly origin: string; readonly serial: number }

export type DnsSettings = {
  /** The largest UDP answer, 512..4096. */
  readonly udpSize: number
  /** What NSID, id.server and hostname.bind tell; nothing when undefined. */
  readonly serverId: string | undefined
  /** What version.bind and version.server tell; nothing when undefined. */
  readonly version: string | undefined
  /** Secrets of 16 octets for server cookies: the first makes them, each is accepted; none turns cookies off. */
  readonly cookieSecrets: readonly Uint8Array[]
  /** How long TCP connections may stand idle. */
  readonly tcpIdleSeconds: number
}

export type Transport = 'udp' | 'tcp'

/** Who asks; `address` has 4 or 16 octets. */
export type Client = { readonly address: Uint8Array; readonly port: number }

/** How a request came. */
export type Arrival = { readonly client: Client; readonly transport: Transport; readonly now: Date }

/** A request that could be read, with its signature checked. */
export type Request = Arrival & {
  readonly bytes: Uint8Array
  readonly message: Message
  readonly signed: Signature | undefined
  /** What the request's cookie is worth, if it has one. */
  readonly cookie: CookieCheck | undefined
}

/** The key that signed a request, and the MAC that the answer is bound to. */
export type Signature = { readonly key: TsigKey; readonly mac: Uint8Array }
