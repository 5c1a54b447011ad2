import { once } from 'node:events'
import type { Socket } from 'node:net'
import { FrameDecoder, frame } from '../dns/stream.ts'
import { handle } from './handle.ts'
import type { Client, ServerState } from './server-state.ts'

/** How many octets of answers wait for one client before no more of its requests are read. */
const MOST_WAITING = 128 * 1024
/** How many transfers run at once on one connection. */
const MOST_STREAMS = 4
/** How many requests of one connection are answered before others get their turn. */
const MOST_AT_ONCE = 128

/** One client's connection: requests are read as fast as their answers are taken, and answered in any order (RFC 7766 6.2.1.1). */
export class Connection {
  readonly client: Client
  /** When a whole request last came or an answer went out, in milliseconds. */
  active: number
  readonly #socket: Socket
  readonly #server: ServerState
  readonly #decoder = new FrameDecoder()
  readonly #onActive: (connection: Connection) => void
  #frames: Iterator<Uint8Array> | undefined
  #streams = 0
  #ended = false
  #turn: NodeJS.Immediate | undefined
  #waiting = false

  constructor(socket: Socket, client: Client, server: ServerState, onActive: (connection: Connection) => void) {
    this.#socket = socket
    this.client = client
    this.#server = server
    this.#onActive = onActive
    this.active = Date.now()
    socket.on('data', (chunk: Uint8Array) => {
      const between = this.#decoder.idle
      this.#frames = this.#decoder.push(chunk)
      this.#answerFrames()
      // The time for a request to become whole runs from its first octet.
      if (between && !this.#decoder.idle) this.#touch()
    })
    socket.on('end', () => {
      this.#ended = true
      this.#answerFrames()
    })
    socket.on('drain', () => {
      this.#waiting = false
      this.#touch()
      this.#answerFrames()
    })
    socket.on('close', () => clearImmediate(this.#turn))
  }

  /** Whether nothing is under way: no request begun, no answer waiting to be taken, no transfer. */
  get idle(): boolean {
    return this.#decoder.idle && this.#streams === 0 && this.#socket.writableLength === 0
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Answers what has come, until the client has to take answers first; then the socket is read on. */
  #answerFrames(): void {
    const socket = this.#socket
    if (socket.destroyed || this.#waiting) return
    clearImmediate(this.#turn)
    socket.cork()
    const more = this.#answerSome()
    socket.uncork()
    if (more) {
      socket.pause()
      if (!this.#waiting && this.#streams < MOST_STREAMS) this.#turn = setImmediate(() => this.#answerFrames())
      return
    }
    if (!this.#ended) socket.resume()
    else if (this.#streams === 0) socket.end()
  }

  /** Answers some of the frames at hand and tells whether there may be more. */
  #answerSome(): boolean {
    const frames = this.#frames
    if (frames === undefined) return false
    for (let count = 0; count < MOST_AT_ONCE; count++) {
      if (this.#streams >= MOST_STREAMS || this.#isFull()) return true
      const next = frames.next()
      if (next.done) {
        this.#frames = undefined
        return false
      }
      this.#answer(next.value)
    }
    return true
  }

  #isFull(): boolean {
    if (this.#socket.writableLength < MOST_WAITING) return false
    this.#waiting = true
    return true
  }

  #answer(bytes: Uint8Array): void {
    this.#touch()
    const arrival = { client: this.client, transport: 'tcp', now: new Date() } as const
    const handled = handle(bytes, arrival, this.#server)
    if (handled instanceof Uint8Array) this.#write(handled)
    else if (handled !== undefined) this.#stream(handled)
  }

  #stream(messages: AsyncIterable<Uint8Array>): void {
    this.#streams++
    this.#send(messages)
      .catch((error: unknown) => {
        if (!this.#socket.destroyed) this.#server.report(error)
        // A transfer that breaks off must not look complete.
        this.#socket.destroy()
      })
      .finally(() => {
        this.#streams--
        this.#answerFrames()
      })
  }

  async #send(messages: AsyncIterable<Uint8Array>): Promise<void> {
    const socket = this.#socket
    for await (const message of messages) {
      if (socket.destroyed) return
      this.#touch()
      if (!this.#write(message)) await drained(socket)
    }
  }

  #write(message: Uint8Array): boolean {
    const socket = this.#socket
    return socket.destroyed ? true : socket.write(frame(message))
  }

  #touch(): void {
    this.active = Date.now()
    this.#onActive(this)
  }
}

/** Waits until a socket takes more, or is gone. */
async function drained(socket: Socket): Promise<void> {
  if (socket.destroyed || !socket.writableNeedDrain) return
  const gone = new AbortController()
  const { signal } = gone
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).finally(() => gone.abort())
}
