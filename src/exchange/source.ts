import { createSocket } from 'node:dgram'
import { isIP, isIPv6, SocketAddress } from 'node:net'

let ours: readonly string[] = []

/**
 * Has this thread ask servers from these addresses of the machine, of which it has several. Servers let in NOTIFY and
 * transfers by address, and know us by where we listen. An address for all (0.0.0.0, ::) leaves the choice to the system.
 */
export function askFrom(addresses: readonly string[]): void {
  const plain = addresses.map(canonical)
  const isOpen = (one: string) => plain.some((other) => isIP(other) === isIP(one) && isAny(other))
  ours = plain.filter((one) => !isOpen(one))
}

/** The address to ask a server from; undefined where the system takes a right one by itself. */
export async function sourceTo(address: string): Promise<string | undefined> {
  // From a loopback address nothing gets out of the machine.
  const fit = ours.filter((one) => isIP(one) === isIP(address) && (isLoopback(address) || !isLoopback(one)))
  if (fit.length === 0) return undefined
  return fit.includes((await systemSourceTo(address)) ?? '') ? undefined : fit[0]
}

/** What the system would ask from; nothing is sent to find out. */
function systemSourceTo(address: string): Promise<string | undefined> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  return new Promise<string | undefined>((resolve) => {
    socket.once('error', () => resolve(undefined))
    socket.connect(53, address, () => resolve(canonical(socket.address().address)))
  }).finally(() => socket.close())
}

const canonical = (address: string): string =>
  new SocketAddress({ address, family: isIPv6(address) ? 'ipv6' : 'ipv4' }).address

const isAny = (address: string): boolean => address === '0.0.0.0' || address === '::'

const isLoopback = (address: string): boolean => address === '::1' || /^127\./.test(address)
