import { isIP, SocketAddress } from 'node:net'
import type { HostPort } from '../kind.ts'

/** The id that PowerDNS gives to a zone or key of this name: what a path cannot have in it stands as `=` and two hex digits. */
export function idOf(name: string): string {
  if (name === '.') return '=2E'
  return name.replace(/[^\w.-]/g, (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}

/** A master as PowerDNS shows it: an IPv6 address in its shortest form, and a port of 53 left out. */
export function masterText({ host, port }: HostPort): string {
  const isLong = isIP(host) === 6
  const address = isLong ? new SocketAddress({ address: host, family: 'ipv6' }).address : host
  if (port === 53) return address
  return isLong ? `[${address}]:${port}` : `${address}:${port}`
}
