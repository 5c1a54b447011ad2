import type { Logger } from 'pino'
import type { TsigKey } from '../dns/tsig.ts'
import type { ArenaHandles } from './arena/space.ts'
import type { ServerState } from './server-state.ts'
import { listenTcp, type TcpLimits, type TcpListener } from './tcp.ts'
import { listenUdp, type UdpMode } from './udp.ts'
import type { Listen } from './udp-dgram.ts'
import type { UdpThreads } from './udp-ffi.ts'

export type ListenOptions = {
  readonly listen: readonly Listen[]
  readonly udp: UdpMode
  /** How many threads answer UDP. */
  readonly threads: number
  readonly tcp: TcpLimits
}

type Shared = {
  readonly server: ServerState
  readonly arena: () => ArenaHandles
  readonly keys: readonly TsigKey[]
  readonly log: Logger
}

/** Everything that listens. */
export type Listening = Pick<UdpThreads, 'addresses' | 'counters' | 'updateArena' | 'updateKeys'> & {
  readonly tcpConnections: number
  close(): Promise<void>
}

const tries = 10

/** Listens on every address, UDP and TCP on the same port; an error tells by `listen` which address it is about. */
export async function listenAll(options: ListenOptions, shared: Shared): Promise<Listening> {
  // A port that the system chose for TCP may be in use for UDP.
  const isChosen = options.listen.some(({ port }) => port === 0)
  for (let left = isChosen ? tries : 1; ; left--) {
    const tcp: TcpListener[] = []
    try {
      for (const listen of options.listen) tcp.push(await about(listen, listenTcp(listen, options.tcp, shared.server)))
      const udp = await about(options.listen[0], listenUdp(options.udp, udpOptions(options, tcp, shared), shared.log))
      return listening(tcp, udp)
    } catch (error) {
      await Promise.all(tcp.map((listener) => listener.close()))
      if (left === 1) throw error
    }
  }
}

const udpOptions = (
  { threads }: ListenOptions,
  tcp: readonly TcpListener[],
  { server, arena, keys }: Shared,
): Parameters<typeof listenUdp>[1] => ({
  listen: tcp.map(({ address }) => address),
  count: threads,
  arena,
  keys,
  server,
  onEnd: (error) => {
    // Without its threads the server would look alive and answer nothing.
    throw error
  },
})

const listening = (tcp: readonly TcpListener[], udp: UdpThreads): Listening => ({
  addresses: tcp.map(({ address }) => address),
  counters: udp.counters,
  updateArena: udp.updateArena,
  updateKeys: udp.updateKeys,
  get tcpConnections() {
    return tcp.reduce((total, { connections }) => total + connections, 0)
  },
  async close() {
    await Promise.all([udp.close(), ...tcp.map((listener) => listener.close())])
  },
})

/** Says with an error which address it is about, as system errors tell themselves. */
async function about<T>(listen: Listen | undefined, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { address, port } = error as { address?: string; port?: number }
    const told = address !== undefined && port !== undefined ? { host: address, port } : listen
    throw Object.assign(error as Error, { listen: told })
  }
}
