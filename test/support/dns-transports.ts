import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { FrameDecoder, frame } from '../../src/dns/stream.ts'
import { openLibc } from '../../src/nameserver/libc.ts'
import type { RateSettings } from '../../src/nameserver/rate-limit.ts'
import type { ServerState } from '../../src/nameserver/server-state.ts'
import { listenTcp, type TcpLimits } from '../../src/nameserver/tcp.ts'
import { type Listen, listenDgram } from '../../src/nameserver/udp-dgram.ts'
import { serverOf } from './nameserver.ts'

/** A server on loopback and how to ask it: `undefined` where no reply comes in time. */
export type Served = {
  readonly address: Listen
  ask(bytes: Uint8Array, patience?: number): Promise<Uint8Array | undefined>
  close(): Promise<void>
}

export const tcpLimits: TcpLimits = { connections: 200, connectionsPerClient: 100, idle: 30, stalled: 10 }

/** Whether batched UDP works here. */
export const hasFfi = typeof openLibc() !== 'string'

export async function overDgram(server: ServerState = serverOf(), host = '127.0.0.1'): Promise<Served> {
  const listener = await listenDgram({ host, port: 0 }, server)
  return withUdpClient(listener.address, () => listener.close())
}

export async function overFfi(host = '127.0.0.1', rates?: RateSettings): Promise<Served> {
  const { addresses, close } = await startFfi([{ host, port: 0 }], rates)
  return withUdpClient(addresses[0]!, close)
}

/** A thread that serves the test zones in batches. */
export async function startFfi(listen: readonly Listen[], rates?: RateSettings) {
  const control = new SharedArrayBuffer(4)
  const worker = new Worker(new URL('udp-ffi-thread.ts', import.meta.url), { workerData: { listen, control, rates } })
  const [addresses] = (await once(worker, 'message')) as [Listen[]]
  const exited = once(worker, 'exit')
  return {
    addresses,
    close: async () => {
      Atomics.store(new Int32Array(control), 0, 1)
      const [code] = await exited
      if (code !== 0) throw new Error(`the thread ended with ${code}`)
    },
  }
}

export async function overTcp(
  server: ServerState = serverOf(),
  limits: Partial<TcpLimits> = {},
): Promise<Served & { readonly connections: number }> {
  const listener = await listenTcp({ host: '127.0.0.1', port: 0 }, { ...tcpLimits, ...limits }, server)
  return {
    address: listener.address,
    get connections() {
      return listener.connections
    },
    ask: async (bytes, patience = 3000) => {
      const client = await TcpClient.open(listener.address)
      client.send(bytes)
      const reply = await client.next(patience)
      client.socket.destroy()
      return reply
    },
    close: () => listener.close(),
  }
}

/** A UDP client of its own port for each request, so that late replies go nowhere. */
export function withUdpClient(address: Listen, close: () => Promise<void>): Served {
  return { address, ask: (bytes, patience) => askUdp(address, bytes, patience), close }
}

/** The reply to a datagram, from the address it was sent to. */
export async function askUdp(
  { host, port }: Listen,
  bytes: Uint8Array,
  patience = 3000,
): Promise<Uint8Array | undefined> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    await new Promise<void>((resolve) => socket.connect(port, host, resolve))
    const reply = once(socket, 'message', { signal: AbortSignal.timeout(patience) })
    socket.send(bytes)
    return new Uint8Array((await reply)[0])
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined
    throw error
  } finally {
    socket.close()
  }
}

/** A connection that takes messages one by one. */
export class TcpClient {
  readonly socket: Socket
  readonly #messages: Uint8Array[] = []
  #arrived: (() => void) | undefined

  static async open({ host, port }: Listen): Promise<TcpClient> {
    const socket = connect({ host, port, allowHalfOpen: true })
    socket.on('error', () => {})
    await once(socket, 'connect')
    return new TcpClient(socket)
  }

  private constructor(socket: Socket) {
    this.socket = socket
    const decoder = new FrameDecoder()
    socket.on('data', (chunk: Uint8Array) => {
      for (const message of decoder.push(chunk)) this.#messages.push(new Uint8Array(message))
      this.#arrived?.()
    })
    socket.on('close', () => this.#arrived?.())
    socket.on('end', () => this.#arrived?.())
  }

  send(bytes: Uint8Array): void {
    this.socket.write(frame(bytes))
  }

  /** The next message; undefined where the server closes or takes too long. */
  async next(patience = 3000): Promise<Uint8Array | undefined> {
    const end = Date.now() + patience
    while (this.#messages.length === 0) {
      const left = end - Date.now()
      if (left <= 0 || this.socket.destroyed || this.socket.readableEnded) return undefined
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#arrived = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return this.#messages.shift()
  }

  /** Whether the server closes the connection within so many milliseconds. */
  async closes(patience: number): Promise<boolean> {
    this.socket.resume()
    if (this.socket.destroyed || this.socket.readableEnded) return true
    const ended = Promise.race(['close', 'end'].map((event) => once(this.socket, event))).then(() => true)
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, patience, false).unref())
    return Promise.race([ended, late])
  }
}
