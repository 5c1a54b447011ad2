import { MessageChannel } from 'node:worker_threads'
import type { TsigKey } from '../dns/tsig.ts'
import type { ArenaHandles } from './arena/space.ts'
import { COUNTER_SLOTS } from './counters.ts'
import { handle } from './handle.ts'
import type { RateLimiter } from './rate-limit.ts'
import type { ServerState } from './server-state.ts'
import { firstOf, type Listen } from './udp-dgram.ts'
import {
  CONTROL_WORDS,
  type FromUdpThread,
  MAIL,
  STOP,
  type ToUdpThread,
  type UdpThreadData,
} from './udp-thread-messages.ts'
import { udpWorker } from './udp-worker.ts'

export type UdpThreadsOptions = {
  readonly listen: readonly Listen[]
  readonly count: number
  /** What there is of the arena now; later `updateArena` tells. */
  readonly arena: () => ArenaHandles
  readonly keys: readonly TsigKey[]
  /** Answers what threads forward: NOTIFY and transfers. */
  readonly server: ServerState
  /** Called when a thread ends that nobody stopped. */
  readonly onEnd: (error: Error) => void
}

export type UdpThreads = {
  readonly addresses: readonly Listen[]
  /** Memory for a `Float64Array` of counters, one for each thread. */
  readonly counters: readonly SharedArrayBuffer[]
  updateArena(handles: ArenaHandles): void
  updateKeys(keys: readonly TsigKey[]): void
  close(): Promise<void>
}

/** That batched UDP cannot be had here; the message says why. */
export class FfiUnavailable extends Error {}

/** UDP in threads of their own that receive, answer and send in batches. */
export async function startUdpThreads(options: UdpThreadsOptions): Promise<UdpThreads> {
  const threads: Thread[] = []
  let { listen, keys } = options
  const close = async () => {
    await Promise.all(threads.map((thread) => thread.close()))
  }
  try {
    // The first finds the ports that others share.
    for (let i = 0; i < options.count; i++) {
      const thread = new Thread({ ...options, listen, keys })
      threads.push(thread)
      listen = await thread.listening
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    addresses: listen,
    counters: threads.map(({ counters }) => counters),
    updateArena: (handles) => {
      for (const thread of threads) thread.tell({ kind: 'arena', handles })
    },
    updateKeys: (changed) => {
      keys = changed
      for (const thread of threads) thread.tell({ kind: 'keys', keys })
    },
    close,
  }
}

class Thread {
  readonly counters = new SharedArrayBuffer(COUNTER_SLOTS * 8)
  readonly listening: Promise<readonly Listen[]>
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4))
  readonly #port
  readonly #server: ServerState
  readonly #exited: Promise<void>

  constructor({ listen, count, arena, keys, server, onEnd }: UdpThreadsOptions) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#server = server
    const limiter: RateLimiter | undefined = server.limiter
    const data: UdpThreadData = {
      port: port2,
      control: this.#control.buffer as SharedArrayBuffer,
      counters: this.counters,
      listen,
      shared: count > 1,
      arena: arena(),
      settings: server.settings,
      rate: limiter && { settings: limiter.settings, memory: limiter.memory },
      keys,
    }
    const worker = udpWorker()
    worker.postMessage(data, [port2])
    let failure = new Error('a UDP thread has ended')
    worker.on('error', (error: Error) => {
      failure = error
    })
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()))
    this.listening = new Promise((resolve, reject) => {
      let listens = false
      port1.on('message', (message: FromUdpThread) => {
        if (message.kind === 'listening') {
          listens = true
          resolve(message.addresses)
        } else if (message.kind === 'unavailable') reject(new FfiUnavailable(message.reason))
        else this.#take(message)
      })
      worker.once('exit', () => {
        port1.close()
        reject(failure)
        if (listens && Atomics.load(this.#control, STOP) === 0) onEnd(failure)
      })
    })
  }

  tell(message: ToUdpThread): void {
    this.#port.postMessage(message)
    Atomics.add(this.#control, MAIL, 1)
  }

  async close(): Promise<void> {
    Atomics.store(this.#control, STOP, 1)
    await this.#exited
  }

  #take(message: FromUdpThread): void {
    switch (message.kind) {
      case 'forward':
        this.#answer(message).catch(this.#server.report)
        break
      case 'wanted':
        this.#server.wanted(message.id)
        break
      case 'report':
        this.#server.report(message.error)
    }
  }

  async #answer({ request, client, route }: Extract<FromUdpThread, { kind: 'forward' }>): Promise<void> {
    let reply: Uint8Array | undefined
    try {
      const handled = handle(request, { client, transport: 'udp', now: new Date() }, this.#server)
      reply = handled === undefined || handled instanceof Uint8Array ? handled : await firstOf(handled)
    } finally {
      this.tell({ kind: 'send', route, reply })
    }
  }
}
