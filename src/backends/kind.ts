import type { TsigKey } from '../dns/tsig.ts'

export type HostPort = { readonly host: string; readonly port: number }

/** A server that zones are given to. `options` has the presets of its kind and its secrets in it. */
export type Target = {
  readonly id: string
  readonly type: string
  readonly masters: readonly HostPort[]
  readonly options: Readonly<Record<string, string | number | boolean>>
  /** The key that transfers from us to it are signed with. */
  readonly key: TsigKey | undefined
}

/** A zone to be given to a server or taken from it; `name` is whole, with its final dot. */
export type TargetZone = {
  readonly id: string
  readonly name: string
  /** What a catalog says of it: its group, and the catalog that it has moved to. */
  readonly group?: string
  readonly newCatalog?: string
}

/** A zone that the server did not take or let go, and why. */
export type Refusal = { readonly id: string; readonly reason: string }

/** One thing that was looked at, for a person: what is so, and how to mend it where it is not right. */
export type Finding = {
  readonly level: 'ok' | 'warning' | 'error'
  readonly what: string
  readonly mend?: string
}

/**
 * Speaks to one server. Adding a zone that is there makes it as it should be, dropping one that is not there is done: so
 * whoever does not know whether it was done does it again. A call resolves with what the server refused, and throws
 * Unreachable where it could not be spoken to; then nothing is known of any of the zones.
 */
export type Driver = {
  /** Whether a call costs the server much more than a zone in it, so that zones of a burst had better wait for each other. */
  readonly gathers?: boolean
  addZones(zones: readonly TargetZone[], signal: AbortSignal): Promise<readonly Refusal[]>
  dropZones(zones: readonly TargetZone[], signal: AbortSignal): Promise<readonly Refusal[]>
  /** Has the server take zones that changed; for one that acts on NOTIFY only after a while. What comes of it shows in its answers. */
  refreshZones?(zones: readonly TargetZone[], signal: AbortSignal): Promise<void>
  /** The names of all zones the server has, where it can tell. */
  listZones?(signal: AbortSignal): Promise<readonly string[]>
  check(signal: AbortSignal): Promise<readonly Finding[]>
  close(): Promise<void>
}

/**
 * Is called right before anything is sent to a server, and throws where the server is another process's to change by now. A
 * signal alone tells that too late to a process that stood still: it reads the answers that wait for it before any of its timers.
 */
export type MayAct = () => void

export type Kind = {
  /** How many zones a call may have; more are given in several. */
  readonly batch: number
  open(target: Target, mayAct?: MayAct): Driver
}

/** The server cannot be spoken to; the message says why, for a person. */
export class Unreachable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Unreachable'
  }
}
