import type { TsigKey } from '../dns/tsig.ts'

/** A server to ask. */
export type Server = {
  readonly host: string
  readonly port: number
  /** What signs our questions and its answers. */
  readonly key?: TsigKey | undefined
}
