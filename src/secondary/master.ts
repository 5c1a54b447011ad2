import type { Server } from '../exchange/server.ts'

const withPort = /^(?:\[(.+)\]|([\d.]+)):(\d+)$/

/** The address and port of a master as a zone names it. */
export function parseMaster(text: string): Server {
  const match = withPort.exec(text)
  if (match === null) return { host: text.replace(/^\[(.*)\]$/, '$1'), port: 53 }
  return { host: match[1] ?? match[2]!, port: Number(match[3]) }
}
