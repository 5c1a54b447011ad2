import { connect, type Socket } from 'node:net'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

export type Load = {
  readonly port: number
  readonly clients: number
  /** Stops after this many answers or this long, whichever comes first. */
  readonly requests: number
  readonly milliseconds: number
  /** The whole HTTP request to send, by its number. */
  readonly request: (i: number) => Buffer | string
}

export type Measured = {
  readonly answers: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Asks a server on this machine over kept-alive connections, one request at a time on each; times are in microseconds. */
export async function load(options: Load): Promise<Measured> {
  const histogram = createHistogram({ highest: 60_000_000_000, figures: 3 })
  const started = performance.now()
  const run = { ...options, histogram, sent: 0, deadline: started + options.milliseconds }
  const awake = stayAwake()
  try {
    await Promise.all(Array.from({ length: options.clients }, () => client(run)))
  } finally {
    awake.stop()
  }
  const seconds = (performance.now() - started) / 1000
  return {
    answers: histogram.count,
    perSecond: histogram.count / seconds,
    p50: histogram.percentile(50) / 1000,
    p99: histogram.percentile(99) / 1000,
    max: histogram.max / 1000,
  }
}

/** Polls instead of sleeping: waking a sleeper, dear on a virtual machine, would be on the server's bill. */
export function stayAwake(): { stop(): void } {
  let next = setImmediate(function again() {
    next = setImmediate(again)
  })
  return { stop: () => clearImmediate(next) }
}

type Run = Load & { readonly histogram: RecordableHistogram; readonly deadline: number; sent: number }

function client(run: Run): Promise<void> {
  return new Promise((resolve, reject) => {
    const answer = new AnswerReader()
    let sentAt = 0
    const next = () => {
      if (run.sent >= run.requests || performance.now() >= run.deadline) return void socket.end(resolve)
      const request = run.request(run.sent++)
      sentAt = performance.now()
      socket.write(request)
    }
    const onData = (length: number, buffer: Uint8Array) => {
      try {
        if (answer.take(buffer as Buffer, length)) {
          run.histogram.record(Math.max(1, Math.round((performance.now() - sentAt) * 1e6)))
          next()
        }
      } catch (error) {
        socket.destroy(error as Error)
      }
      return true
    }
    const socket: Socket = connect(
      { host: '127.0.0.1', port: run.port, noDelay: true, onread: { buffer: Buffer.alloc(262_144), callback: onData } },
      next,
    )
    socket.once('error', reject)
    socket.setTimeout(30_000, () => socket.destroy(new Error('the server did not answer within 30 s')))
  })
}

/** Finds the end of each answer; one as long as the last with the same status needs no second look at its head. */
class AnswerReader {
  #lastLength = -1
  #missing = 0

  take(buffer: Buffer, length: number): boolean {
    if (this.#missing > 0) {
      this.#missing -= length
      if (this.#missing < 0) throw new Error('the server sent more than it announced')
      return this.#missing === 0
    }
    // '2' of `HTTP/1.1 2xx`
    if (buffer[9] !== 0x32) throw new Error(`not a success: ${buffer.toString('latin1', 0, Math.min(length, 1000))}`)
    if (length === this.#lastLength) return true
    this.#lastLength = lengthOf(buffer, length)
    this.#missing = this.#lastLength - length
    if (this.#missing < 0) throw new Error('the server sent more than it announced')
    return this.#missing === 0
  }
}

function lengthOf(buffer: Buffer, length: number): number {
  const head = buffer.toString('latin1', 0, Math.min(length, 8192))
  const end = head.indexOf('\r\n\r\n')
  const body = /^content-length: (\d+)\r$/im.exec(head.slice(0, end + 2))?.[1]
  if (end < 0 || body === undefined) throw new Error(`an answer without its length: ${head.slice(0, 500)}`)
  return end + 4 + Number(body)
}
