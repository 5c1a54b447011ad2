import type { TsigKey } from '../dns/tsig.ts'

/** A server to take a zone from. */
export type Master = {
  readonly host: string
  readonly port: number
  /** What signs our questions and its answers. */
  readonly key?: TsigKey | undefined
}

const withPort = /^(?:\[(.+)\]|([\d.]+)):(\d+)$/

/** The address and port of a master as a zone names it. */
export function parseMaster(text: string): Master {
  const match = withPort.exec(text)
  if (match === null) return { host: text.replace(/^\[(.*)\]$/, '$1'), port: 53 }
  return { host: match[1] ?? match[2]!, port: Number(match[3]) }
}
