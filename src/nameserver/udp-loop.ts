import { cookieOnly, FastCookies, refuseCookie } from './fast-cookie.ts'
import { handle } from './handle.ts'
import type { Libc } from './libc.ts'
import { DROP, PASS, truncateReply } from './rate-limit.ts'
import type { Client, ServerState } from './server-state.ts'
import { ADDRESS, Batch, IPV4_AT, IPV6_AT, SLOT } from './udp-batch.ts'
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
const NEVER: FastPath = { answer: () => -1 }

/** Blocks the thread to receive, answer and send in batches until `between` ends it. */
export class UdpLoop {
  readonly #options: UdpLoopOptions
  readonly #batch: Batch
  readonly #cookies: FastCookies
  #socket = 0
  #slot = 0
  #failures = 0

  constructor(options: UdpLoopOptions) {
    this.#options = options
    this.#batch = new Batch(options.libc)
    this.#cookies = new FastCookies(options.fast ?? NEVER, options.server.settings.cookieSecrets)
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
      const ready = libc.poll(at, count, WAIT)
      if (ready < 0) this.#failed()
      if (ready <= 0) continue
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
    try {
      if (this.#answerFast(slot, now)) return
    } catch (error) {
      // The handler looks at the request anew; one fault must not end the thread for all.
      this.#options.server.report(error)
    }
    const { server } = this.#options
    const batch = this.#batch
    this.#slot = slot
    const port = slot * ADDRESS + 2
    const { addresses } = batch
    const client: Client = { address: batch.addressOf(slot), port: (addresses[port]! << 8) | addresses[port + 1]! }
    const request = batch.requests.subarray(slot * SLOT, slot * SLOT + batch.requestLength(slot))
    const reply = handle(request, { client, transport: 'udp', now: new Date(now) }, server)
    if (reply === undefined) return
    if (!(reply instanceof Uint8Array) || reply.length > SLOT) {
      server.report(new Error('a UDP reply is one datagram, and transfers are not for this thread'))
      return
    }
    batch.replies.set(reply, batch.replyAt)
    batch.queue(slot, reply.length)
  }

  /** Whether the common path has dealt with the request in a slot. */
  #answerFast(slot: number, now: number): boolean {
    const { fast, server } = this.#options
    if (fast === undefined) return false
    const batch = this.#batch
    const { requests, replies, replyAt } = batch
    const { udpSize } = server.settings
    const at = slot * SLOT
    const length = batch.requestLength(slot)
    const plain = fast.answer(requests, at, length, replies, replyAt, udpSize)
    if (plain > 0) {
      this.#queueLimited(slot, replyAt + plain, now, truncateReply)
      return true
    }
    if (cookieOnly(requests, at, length) === 0) return false
    const from = { address: batch.addressOf(slot), now }
    const written = this.#cookies.answer(requests, at, length, from, replies, replyAt, udpSize)
    if (written <= 0) return false
    if (this.#cookies.isGood) this.#queue(slot, replyAt + written)
    else this.#queueLimited(slot, replyAt + written, now, refuseCookie)
    return true
  }

  /** Queues the reply that ends at `end` as far as its rate allows; `cut` makes it the hint sent instead. */
  #queueLimited(slot: number, end: number, now: number, cut: typeof truncateReply): void {
    const { limiter, counters } = this.#options.server
    const batch = this.#batch
    const { replies, replyAt, addresses } = batch
    const v6 = batch.isIpv6(slot)
    const address = slot * ADDRESS + (v6 ? IPV6_AT : IPV4_AT)
    const verdict = limiter?.check(addresses, address, v6 ? 16 : 4, replies, replyAt, end, now) ?? PASS
    if (verdict === PASS) {
      this.#queue(slot, end)
      return
    }
    counters.event(verdict === DROP ? 'rate_dropped' : 'rate_slipped')
    if (verdict !== DROP) this.#queue(slot, cut(replies, replyAt, end))
  }

  #queue(slot: number, end: number): void {
    const batch = this.#batch
    const { replies, replyAt } = batch
    this.#options.server.counters.reply('udp', replies, replyAt, end)
    batch.queue(slot, end - replyAt)
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
