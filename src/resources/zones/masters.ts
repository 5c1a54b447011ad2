import { isIPv4, isIPv6 } from 'node:net'

const withPort = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):(\d{1,5})$/

/** A master server as we write it: an address, with its port where that is not 53; undefined when it is not one. */
export function parseMaster(text: string): string | undefined {
  const match = withPort.exec(text)
  const address = match ? (match[1] ?? match[2]!) : text.replace(/^\[(.*)\]$/, '$1')
  const port = match ? Number(match[3]) : 53
  if (port < 1 || port > 65_535) return undefined
  if (isIPv4(address)) return port === 53 ? address : `${address}:${port}`
  if (isIPv6(address) && !address.includes('%')) return port === 53 ? address : `[${address}]:${port}`
  return undefined
}
