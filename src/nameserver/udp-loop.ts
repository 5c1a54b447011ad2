import { handle } from './handle.ts'
import type { Libc } from './libc.ts'
import { DROP, PASS, truncateReply } from './rate-limit.ts'
import type { Client, ServerState } from './server-state.ts'
import { Batch, SLOT } from './udp-batch.ts'
import { type BoundSocket, WAIT } from './udp-socket.ts'

/** Answers common questions from bytes to bytes without allocating; a negative number where the handler has to. */
export type FastPath = {
  answer(query: Uint8Array, start: number, length: number, out: Uint8Array, outStart: number, limit: number): number
}

export type UdpLoopOptions = {
  readonly libc: Libc
  readonly sockets: readonly BoundSocket[]
  readonly server: ServerState
  readonly fast: FastPath | undefined
  /** Called between batches and at least every 50 ms; false ends the loop. */
  readonly between: () => boolean
  /** Called when requests have come, before they are answered. */
  readonly refresh: () => void
}

const MOST_FAILURES = 100
const EINTR = 4
const EAGAIN = 11
const POLLIN = 1

/** Blocks the thread to receive, answer and send in batches until `between` ends it. */
export class UdpLoop {
  readonly #options: UdpLoopOptions
  readonly #batch: Batch
  #socket = 0
  #slot = 0
  #failures = 0

  constructor(options: UdpLoopOptions) {
    this.#options = options
    this.#batch = new Batch(options.libc)
  }

  run(): void {
    const { libc, sockets, between } = this.#options
    try {
      if (sockets.length === 1) while (between()) this.#turn(0, true)
      else this.#runOverMany()
    } finally {
      for (const { fd } of sockets) libc.close(fd)
    }
  }

  /** While a request is being handled: how `sendLater` can answer it. */
  route(): Uint8Array {
    return Uint8Array.of(this.#socket, ...this.#batch.route(this.#slot))
  }

  /** Answers an earlier request. Only between batches. */
  sendLater(route: Uint8Array, reply: Uint8Array): void {
    const batch = this.#batch
    if (reply.length > SLOT) return
    batch.restore(route.subarray(1))
    batch.replies.set(reply)
    batch.queue(0, reply.length)
    this.#countFailed(batch.send(this.#options.sockets[route[0]!]!.fd))
  }

  #runOverMany(): void {
    const { libc, sockets, between } = this.#options
    const memory = new ArrayBuffer(sockets.length * 8)
    const words = new Int32Array(memory)
    const events = new Int16Array(memory)
    const at = libc.pointerTo(memory)
    const count = BigInt(sockets.length)
    sockets.forEach(({ fd }, i) => {
      words[i * 2] = fd
      events[i * 4 + 2] = POLLIN
    })
    while (between()) {
      if (libc.poll(at, count, WAIT) <= 0) continue
      for (let i = 0; i < sockets.length; i++) if (events[i * 4 + 3] !== 0) this.#turn(i, false)
    }
  }

  #turn(socket: number, wait: boolean): void {
    const { sockets, refresh } = this.#options
    const batch = this.#batch
    const { fd } = sockets[socket]!
    const count = batch.receive(fd, wait)
    if (count < 0) {
      this.#failed()
      return
    }
    this.#failures = 0
    this.#socket = socket
    refresh()
    const now = Date.now()
    for (let slot = 0; slot < count; slot++) this.#answer(slot, now)
    this.#countFailed(batch.send(fd))
  }

  #answer(slot: number, now: number): void {
    const { fast, server } = this.#options
    const batch = this.#batch
    const at = slot * SLOT
    const length = batch.requestLength(slot)
    if (fast !== undefined) {
      const start = batch.replyAt
      const written = fast.answer(batch.requests, at, length, batch.replies, start, server.settings.udpSize)
      if (written > 0) {
        this.#queueFast(slot, start, written, now)
        return
      }
    }
    this.#slot = slot
    const address = slot * 32
    const v6 = batch.isIpv6(slot)
    const { addresses } = batch
    const client: Client = {
      address: v6 ? addresses.slice(address + 8, address + 24) : addresses.slice(address + 4, address + 8),
      port: (addresses[address + 2]! << 8) | addresses[address + 3]!,
    }
    const request = batch.requests.subarray(at, at + length)
    const reply = handle(request, { client, transport: 'udp', now: new Date(now) }, server)
    if (reply === undefined) return
    if (!(reply instanceof Uint8Array) || reply.length > SLOT) {
      server.report(new Error('a UDP reply is one datagram, and transfers are not for this thread'))
      return
    }
    batch.replies.set(reply, batch.replyAt)
    batch.queue(slot, reply.length)
  }

  #queueFast(slot: number, start: number, written: number, now: number): void {
    const { limiter, counters } = this.#options.server
    const batch = this.#batch
    const { replies, addresses } = batch
    let end = start + written
    if (limiter !== undefined) {
      const v6 = batch.isIpv6(slot)
      const verdict = limiter.check(addresses, slot * 32 + (v6 ? 8 : 4), v6 ? 16 : 4, replies, start, end, now)
      if (verdict !== PASS) {
        counters.event(verdict === DROP ? 'rate_dropped' : 'rate_slipped')
        if (verdict === DROP) return
        end = truncateReply(replies, start, end)
      }
    }
    counters.reply('udp', replies, start, end)
    batch.queue(slot, end - start)
  }

  #failed(): void {
    const errno = this.#options.libc.errno()
    if (errno === EAGAIN || errno === EINTR) this.#failures = 0
    else if (++this.#failures === MOST_FAILURES) throw new Error(`receiving UDP keeps failing: errno ${errno}`)
  }

  #countFailed(count: number): void {
    for (let i = 0; i < count; i++) this.#options.server.counters.event('send_failed')
  }
}
