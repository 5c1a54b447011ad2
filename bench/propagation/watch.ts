import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeQuestion } from '../nameserver/check.ts'

/** What a server is asked, and which reply is the one waited for. */
export type Sought = { readonly question: Uint8Array; readonly isFound: (reply: Buffer) => boolean }

/** An address that a name is to have. */
export const addressAt = (name: string, address: string): Sought => {
  const octets = Buffer.from(address.split('.').map(Number))
  return { question: encodeQuestion([name, 'A']), isFound: (reply) => hasAnswers(reply) && reply.includes(octets, 12) }
}

/** A zone that the server is to answer for. */
export const zoneOf = (name: string): Sought => ({ question: encodeQuestion([name, 'SOA']), isFound: hasAnswers })

const hasAnswers = (reply: Buffer): boolean =>
  (reply[2]! & 4) !== 0 && (reply[3]! & 15) === 0 && reply.readUInt16BE(6) > 0

// Of many, the oldest are asked for while more are being made: asking for all of them would take the time of those who make them.
const [answerWithin, patience, few, many] = [500, 180_000, 8, 128]
const cell = new Int32Array(new SharedArrayBuffer(4))

/** Sleeps for a fifth of a millisecond, which timers cannot, so that asking takes little of the machine. */
export const nap = (): void => void Atomics.wait(cell, 0, 0, 0.2)

/** Asks one server on loopback over one socket until it shows what is waited for. */
export class Watch {
  readonly #socket: Socket
  readonly #awaited = new Map<number, (reply: Buffer | undefined) => void>()
  #id = 0

  static async at(port: number): Promise<Watch> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
    socket.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new Watch(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('message', (reply) => this.#awaited.get(reply.readUInt16BE(0))?.(reply))
  }

  /** When it was first shown. */
  async until({ question, isFound }: Sought): Promise<number> {
    const end = performance.now() + patience
    while (performance.now() < end) {
      const reply = await this.#ask(question)
      if (reply !== undefined && isFound(reply)) return performance.now()
      nap()
    }
    throw new Error(`not shown within ${patience / 1000} s`)
  }

  /** When the last of these was shown; more may come as long as `isComplete` does not hold. */
  async untilAll(sought: Set<Sought>, isComplete: () => boolean): Promise<number> {
    const end = performance.now() + patience
    let last = performance.now()
    while (sought.size > 0 || !isComplete()) {
      if (performance.now() > end) throw new Error(`${sought.size} are not shown within ${patience / 1000} s`)
      await Promise.all(
        [...sought.values().take(isComplete() ? many : few)].map(async (one) => {
          const reply = await this.#ask(one.question)
          if (reply === undefined || !one.isFound(reply)) return
          sought.delete(one)
          last = performance.now()
        }),
      )
      await sleep(2)
    }
    return last
  }

  close(): void {
    this.#socket.close()
  }

  #ask(question: Uint8Array): Promise<Buffer | undefined> {
    const id = this.#id++ & 0xffff
    const bytes = Buffer.from(question)
    bytes.writeUInt16BE(id, 0)
    return new Promise((resolve) => {
      const settle = (reply: Buffer | undefined) => {
        clearTimeout(timer)
        this.#awaited.delete(id)
        resolve(reply)
      }
      const timer = setTimeout(settle, answerWithin, undefined)
      this.#awaited.set(id, settle)
      this.#socket.send(bytes)
    })
  }
}
