import { getSystemErrorMessage, getSystemErrorName } from 'node:util'
import { parseIpv4, parseIpv6 } from '../dns/address.ts'
import type { Libc } from './libc.ts'
import type { Listen } from './udp-dgram.ts'

const AF_INET = 2
const AF_INET6 = 10
const DATAGRAM = 2
const CLOSE_ON_EXEC = 0o2000000
const SOL_SOCKET = 1
const SO_SNDBUF = 7
const SO_RCVBUF = 8
const SO_REUSEPORT = 15
const SO_RCVTIMEO = 20
const IPPROTO_IP = 0
const IP_PKTINFO = 8
const IP_MTU_DISCOVER = 10
const IPPROTO_IPV6 = 41
const IPV6_MTU_DISCOVER = 23
const IPV6_V6ONLY = 26
const IPV6_RECVPKTINFO = 49
const PMTUDISC_OMIT = 5

const BUFFER = 4 * 1024 * 1024

/** How long one wait for requests lasts, in milliseconds; messages and the end are noticed that late at worst. */
export const WAIT = 50

/** A UDP socket of our own, to be used with a batch. */
export type BoundSocket = { readonly fd: number; readonly address: Listen }

/** Binds a UDP socket. With `shared`, several threads may bind the same address and share what comes; choosing among them costs. */
export function bindUdp(
  libc: Libc,
  { host, port, shared = false }: Listen & { readonly shared?: boolean },
): BoundSocket {
  const v6 = host.includes(':')
  const octets = v6 ? parseIpv6(host) : parseIpv4(host)
  const memory = new ArrayBuffer(64)
  const at = libc.pointerTo(memory)
  const view = new DataView(memory)
  const words = new Int32Array(memory)
  const attempt = (what: string, result: number) => {
    if (result < 0) throw systemError(libc.errno(), what, { host, port })
    return result
  }
  const fd = attempt('socket', libc.socket(v6 ? AF_INET6 : AF_INET, DATAGRAM | CLOSE_ON_EXEC, 0))
  const option = (level: number, name: number, value: number, length = 4) => {
    words[0] = value
    return libc.setsockopt(fd, level, name, at, length)
  }
  try {
    if (shared) attempt('SO_REUSEPORT', option(SOL_SOCKET, SO_REUSEPORT, 1))
    // As much as the system allows, which may be less.
    option(SOL_SOCKET, SO_RCVBUF, BUFFER)
    option(SOL_SOCKET, SO_SNDBUF, BUFFER)
    // A struct timeval: seconds, then microseconds, 64 bits each.
    words.set([0, 0, WAIT * 1000, 0])
    attempt('SO_RCVTIMEO', libc.setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, at, 16))
    // Forged "packet too big" messages must not make us send ever smaller fragments.
    if (v6) option(IPPROTO_IPV6, IPV6_MTU_DISCOVER, PMTUDISC_OMIT)
    else option(IPPROTO_IP, IP_MTU_DISCOVER, PMTUDISC_OMIT)
    if (v6) attempt('IPV6_V6ONLY', option(IPPROTO_IPV6, IPV6_V6ONLY, 1))
    if (octets.every((octet) => octet === 0)) {
      if (v6) attempt('IPV6_RECVPKTINFO', option(IPPROTO_IPV6, IPV6_RECVPKTINFO, 1))
      else attempt('IP_PKTINFO', option(IPPROTO_IP, IP_PKTINFO, 1))
    }
    words.fill(0)
    new Uint16Array(memory)[0] = v6 ? AF_INET6 : AF_INET
    view.setUint16(2, port)
    new Uint8Array(memory).set(octets, v6 ? 8 : 4)
    attempt('bind', libc.bind(fd, at, v6 ? 28 : 16))
    words[12] = 32
    attempt('getsockname', libc.getsockname(fd, at, at + 48n))
    return { fd, address: { host, port: view.getUint16(2) } }
  } catch (error) {
    libc.close(fd)
    throw error
  }
}

/** Binds all of these addresses, or none. */
export function bindAll(libc: Libc, listen: readonly Listen[], shared: boolean): BoundSocket[] {
  const bound: BoundSocket[] = []
  try {
    for (const address of listen) bound.push(bindUdp(libc, { ...address, shared }))
    return bound
  } catch (error) {
    for (const { fd } of bound) libc.close(fd)
    throw error
  }
}

function systemError(errno: number, what: string, { host, port }: Listen): Error {
  const code = getSystemErrorName(-errno)
  const message = `${what} for UDP ${host} port ${port}: ${getSystemErrorMessage(-errno)} (${code})`
  return Object.assign(new Error(message), { code, address: host, port })
}
