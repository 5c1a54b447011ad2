import { createHistogram } from 'node:perf_hooks'
import { openLibc } from '../../src/nameserver/libc.ts'
import { ADDRESS, Batch, SLOT, SLOTS } from '../../src/nameserver/udp-batch.ts'
import { bindUdp } from '../../src/nameserver/udp-socket.ts'

export type Loaded = {
  readonly answered: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/**
 * Keeps so many questions under way at a server for some seconds, with batched system calls, and times every answer; blocks.
 * `dnsperf` takes a core of its own for 200,000 questions a second and tells no percentiles.
 */
export class BatchedLoad {
  readonly #libc
  readonly #batch
  readonly #questions: readonly Uint8Array[]
  #next = 0

  constructor(questions: readonly Uint8Array[]) {
    const libc = openLibc()
    if (typeof libc === 'string') throw new Error(libc)
    this.#libc = libc
    this.#batch = new Batch(libc)
    this.#questions = questions
  }

  run(port: number, outstanding: number, seconds: number): Loaded {
    const { fd } = bindUdp(this.#libc, { host: '127.0.0.1', port: 0 })
    const histogram = createHistogram({ highest: 10_000_000_000, figures: 3 })
    const batch = this.#batch
    const sentAt = new Float64Array(65_536)
    const started = performance.now()
    const end = started + seconds * 1000
    try {
      this.#begin(fd, port, outstanding, sentAt)
      for (let now = started; now < end; now = performance.now()) {
        const count = batch.receive(fd, true)
        if (count < 0) {
          // Some were lost, or all: their numbers are used again.
          this.#begin(fd, port, outstanding, sentAt)
          continue
        }
        const at = performance.now()
        for (let slot = 0; slot < count; slot++) {
          const reply = slot * SLOT
          const id = (batch.requests[reply]! << 8) | batch.requests[reply + 1]!
          if (sentAt[id] === 0) continue
          histogram.record(Math.max(1, Math.round((at - sentAt[id]!) * 1e6)))
          this.#queue(slot, id, sentAt, at)
        }
        batch.send(fd)
      }
      const spent = (performance.now() - started) / 1000
      return {
        answered: histogram.count,
        perSecond: histogram.count / spent,
        p50: histogram.percentile(50) / 1000,
        p99: histogram.percentile(99) / 1000,
      }
    } finally {
      this.#libc.close(fd)
    }
  }

  #begin(fd: number, port: number, outstanding: number, sentAt: Float64Array): void {
    const now = performance.now()
    for (let id = 1; id <= outstanding; ) {
      this.#batch.restore(routeTo(port))
      for (let i = 0; i < SLOTS && id <= outstanding; i++) this.#queue(0, id++, sentAt, now)
      this.#batch.send(fd)
    }
  }

  #queue(slot: number, id: number, sentAt: Float64Array, now: number): void {
    const batch = this.#batch
    const question = this.#questions[this.#next++ % this.#questions.length]!
    const at = batch.replyAt
    batch.replies.set(question, at)
    batch.replies[at] = id >>> 8
    batch.replies[at + 1] = id
    sentAt[id] = now
    batch.queue(slot, question.length)
  }
}

/** What `restore` takes: lengths of address and control data, then a `sockaddr_in` of 127.0.0.1. */
function routeTo(port: number): Uint8Array {
  const route = new Uint8Array(8 + ADDRESS + 64)
  route[0] = 16
  route.set([2, 0, port >>> 8, port & 255, 127, 0, 0, 1], 8)
  return route
}
