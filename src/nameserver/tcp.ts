import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { addressOctets } from './client-address.ts'
import type { ServerState } from './server-state.ts'
import { Connection } from './tcp-connection.ts'
import type { Listen, Listener } from './udp-dgram.ts'

export type TcpLimits = {
  readonly connections: number
  readonly connectionsPerClient: number
  /** Seconds a connection may be without a request. */
  readonly idle: number
  /** Seconds within which a request begun must be whole, and a client must take some of what waits for it. */
  readonly stalled: number
}

export type TcpListener = Listener & { readonly connections: number }

const SWEEP = 500
const BACKLOG = 1024

/** DNS over TCP (RFC 7766). */
export async function listenTcp({ host, port }: Listen, limits: TcpLimits, server: ServerState): Promise<TcpListener> {
  const held = new Connections(limits)
  const v6 = host.includes(':')
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => accept(socket, held, server))
  listener.listen({ port, host, ipv6Only: v6, backlog: BACKLOG })
  await once(listener, 'listening')
  // Out of descriptors, for one: the connections there are go on.
  listener.on('error', server.report)
  const sweep = setInterval(() => held.sweep(Date.now()), SWEEP)
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error(`no port for ${host}`)
  return {
    address: { host, port: address.port },
    get connections() {
      return held.size
    },
    close: async () => {
      clearInterval(sweep)
      const closed = once(listener, 'close')
      listener.close()
      held.closeAll()
      await closed
    },
  }
}

function accept(socket: Socket, held: Connections, server: ServerState): void {
  // Resets and the like: 'close' follows.
  socket.on('error', () => {})
  const { remoteAddress, remotePort } = socket
  if (remoteAddress === undefined || remotePort === undefined) {
    socket.destroy()
    return
  }
  const client = { address: addressOctets(remoteAddress), port: remotePort }
  const connection = new Connection(socket, client, server, (active) => held.touch(active))
  if (!held.add(connection, server.isPoolServer?.(remoteAddress) ?? false)) {
    socket.destroy()
    return
  }
  socket.on('close', () => held.remove(connection))
}

/** The connections there are, longest unused first. */
class Connections {
  readonly #limits: TcpLimits
  readonly #byUse = new Set<Connection>()
  readonly #perClient = new Map<string, number>()

  constructor(limits: TcpLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#byUse.size
  }

  /** Takes a connection in, if need be in place of one that is idle; false where its client, unless it is our own, has as many as it may. */
  add(connection: Connection, isOwn: boolean): boolean {
    const key = clientKey(connection)
    const count = this.#perClient.get(key) ?? 0
    if (count >= this.#limits.connectionsPerClient && !isOwn) return false
    if (this.#byUse.size >= this.#limits.connections && !this.#makeRoom()) return false
    this.#perClient.set(key, count + 1)
    this.#byUse.add(connection)
    return true
  }

  remove(connection: Connection): void {
    if (!this.#byUse.delete(connection)) return
    const key = clientKey(connection)
    const count = this.#perClient.get(key) ?? 0
    if (count > 1) this.#perClient.set(key, count - 1)
    else this.#perClient.delete(key)
  }

  touch(connection: Connection): void {
    if (this.#byUse.delete(connection)) this.#byUse.add(connection)
  }

  /** Closes what has been idle or stalled for too long. */
  sweep(now: number): void {
    const { idle, stalled } = this.#limits
    const shortest = Math.min(idle, stalled) * 1000
    for (const connection of this.#byUse) {
      const unused = now - connection.active
      if (unused < shortest) return
      if (unused >= (connection.idle ? idle : stalled) * 1000) this.#close(connection)
    }
  }

  closeAll(): void {
    for (const connection of this.#byUse) this.#close(connection)
  }

  #makeRoom(): boolean {
    let looked = 0
    for (const connection of this.#byUse) {
      if (connection.idle) {
        this.#close(connection)
        return true
      }
      if (++looked === 64) break
    }
    // All of the oldest are in the middle of something: the one longest without progress gives way.
    for (const connection of this.#byUse) {
      if (Date.now() - connection.active < 1000) return false
      this.#close(connection)
      return true
    }
    return false
  }

  #close(connection: Connection): void {
    this.remove(connection)
    connection.destroy()
  }
}

/** Connections count together by IPv4 address, or by /64 where a client can have any address. */
function clientKey({ client: { address } }: Connection): string {
  return Buffer.from(address.subarray(0, 8)).toString('latin1')
}
