import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { OPCODE, RCODE, rcodeName } from '../dns/codes.ts'
import { decodeMessage, encodeMessage, type Message, type Question } from '../dns/message.ts'
import { sameName } from '../dns/name.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { signRequest, verifyResponse } from '../dns/tsig.ts'
import { IN, SOA } from '../zonedata/type-codes.ts'
import { soaNumber } from '../zonedata/zone.ts'
import { addressesOf } from './addresses.ts'
import { askOverTcp, isBareRefusal, type Patience } from './client.ts'
import type { Server } from './server.ts'
import { sourceTo } from './source.ts'

/** What a server has of a zone: a serial, or nothing and how it says so. */
export type Shown = { readonly serial: number } | { readonly absent: string }

/** A server that says nothing, or nothing that can be believed. */
export class NoAnswer extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NoAnswer'
  }
}

type Asked = Pick<Message, 'opcode' | 'answer'> & { readonly question: Question }

type Awaited = {
  readonly question: Question
  readonly opcode: number
  readonly mac: Uint8Array | undefined
  readonly resolve: (reply: Message) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

const idleMilliseconds = 10_000
const noFlags = { qr: false, aa: false, tc: false, rd: false, ra: false, ad: false, cd: false }

/** Asks one server many things at a time, over one socket; each is sent once. */
export class Exchange {
  readonly #server: Server
  readonly #awaited = new Map<number, Awaited>()
  #socket: Promise<Socket> | undefined
  #idle: NodeJS.Timeout | undefined
  #closed = false
  #addresses: readonly string[] = []
  /** Which of its addresses it is asked at. */
  #turn = 0
  /** Whether it has answered at that address, through the socket there is now. */
  #isHeard = false

  constructor(server: Server) {
    this.#server = server
  }

  /** The serial that the server answers with for a zone; over TCP where the answer does not fit a datagram. */
  async serial(zone: string, wait: number): Promise<Shown> {
    const question = { name: zone, type: SOA, class: IN }
    const reply = await this.#ask({ question, opcode: OPCODE.QUERY, answer: [] }, wait)
    return shown(reply.flags.tc ? await this.#askOverTcp(zone, wait) : reply, zone)
  }

  /** As `serial`, over TCP. */
  async serialOverTcp(zone: string, wait: number): Promise<Shown> {
    return shown(await this.#askOverTcp(zone, wait), zone)
  }

  /** Tells the server that a zone has changed, and to what (RFC 1996); resolves with what it answers. */
  async notify(zone: string, soa: ResourceRecord | undefined, wait: number): Promise<number> {
    const question = { name: zone, type: SOA, class: IN }
    const reply = await this.#ask({ question, opcode: OPCODE.NOTIFY, answer: soa ? [soa] : [] }, wait)
    return reply.rcode
  }

  /** Lets go of the socket; whatever is awaited is given up. */
  close(): void {
    this.#closed = true
    this.#drop(new NoAnswer('stopped'))
  }

  /** Asks at one of its addresses after another, where a name has several and the first is silent. */
  async #ask(asked: Asked, wait: number): Promise<Message> {
    for (let tried = 1; ; tried++) {
      const turn = this.#turn
      try {
        return await this.#askOnce(asked, wait)
      } catch (error) {
        if (this.#closed || turn === this.#turn || tried >= this.#addresses.length) throw error
      }
    }
  }

  async #askOnce({ question, opcode, answer }: Asked, wait: number): Promise<Message> {
    if (this.#closed) throw new NoAnswer('stopped')
    this.#socket ??= this.#open(wait)
    const socket = await this.#socket
    if (this.#closed) throw new NoAnswer('stopped')
    const id = this.#freeId()
    const { key } = this.#server
    const flags = { ...noFlags, aa: opcode === OPCODE.NOTIFY }
    const message = { id, opcode, rcode: 0, flags, question: [question], answer, authority: [], additional: [] }
    const plain = encodeMessage(message)
    const { bytes, mac } = key ? signRequest(plain, key, new Date()) : { bytes: plain, mac: undefined }
    return new Promise<Message>((resolve, reject) => {
      const timer = setTimeout(() => this.#late(id), wait)
      this.#awaited.set(id, { question, opcode, mac, resolve, reject, timer })
      // That an earlier datagram was refused may come as trouble with this one.
      socket.send(bytes, (error) => error && this.#fail(socket, error))
    })
  }

  async #askOverTcp(zone: string, wait: number): Promise<Message> {
    const patience: Patience = { answer: wait, silence: wait, transfer: wait }
    try {
      return await askOverTcp(this.#server, zone, patience, AbortSignal.timeout(wait * 2))
    } catch (error) {
      throw overTcp(error as Error)
    }
  }

  #freeId(): number {
    for (;;) {
      const id = randomInt(65_536)
      if (!this.#awaited.has(id)) return id
    }
  }

  async #open(wait: number): Promise<Socket> {
    const { host, port } = this.#server
    try {
      this.#addresses = await addressesOf(host, wait)
      this.#isHeard = false
      const address = this.#addresses[this.#turn % this.#addresses.length]!
      const source = await sourceTo(address)
      const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
      socket.on('error', (error) => this.#fail(socket, error))
      socket.on('message', (bytes) => this.#take(bytes))
      // Connected, so that the system takes datagrams from nobody else, and tells when nobody listens there.
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        if (source !== undefined) socket.bind({ address: source })
        socket.connect(port, address, () => {
          socket.off('error', reject)
          resolve()
        })
      }).catch((error: unknown) => {
        socket.close()
        throw error
      })
      return socket
    } catch (error) {
      this.#socket = undefined
      this.#tryAnother()
      throw unreachable(error as Error)
    }
  }

  #late(id: number): void {
    const error = new NoAnswer('it does not answer')
    this.#settle(id)?.reject(error)
    if (this.#tryAnother()) this.#drop(error)
  }

  /** Has it be asked at its next address from now on, where it has one and has not answered at this one; tells whether. */
  #tryAnother(): boolean {
    if (this.#isHeard || this.#addresses.length < 2) return false
    this.#turn++
    return true
  }

  #take(bytes: Uint8Array): void {
    if (bytes.length < 12) return
    const awaited = this.#awaited.get((bytes[0]! << 8) | bytes[1]!)
    if (awaited === undefined) return
    const reply = decoded(bytes)
    // Anybody may send us what is no answer: the right one may still come.
    if (reply === undefined || !isAnswerTo(awaited, reply)) return
    this.#isHeard = true
    const { key } = this.#server
    const check = key && verifyResponse(bytes, key, awaited.mac!, new Date())
    this.#settle(reply.id)
    if (check === undefined || check.status === 'good' || (check.status === 'unsigned' && isBareRefusal(reply))) {
      awaited.resolve(reply)
      return
    }
    const why = check.status === 'bad' ? rcodeName(check.error).replace('BADVERS', 'BADSIG') : 'it is not signed'
    const who = check.status === 'bad' && check.by === 'peer' ? 'it refuses our key' : 'its answer cannot be believed'
    awaited.reject(new NoAnswer(`${who}: ${why}`))
  }

  #settle(id: number): Awaited | undefined {
    const awaited = this.#awaited.get(id)
    if (awaited === undefined) return undefined
    clearTimeout(awaited.timer)
    this.#awaited.delete(id)
    if (this.#awaited.size === 0) this.#letGoSoon()
    return awaited
  }

  /** An idle socket goes, so that the port we ask from is another one later. */
  #letGoSoon(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      if (this.#awaited.size === 0) this.#drop(new NoAnswer('stopped'))
    }, idleMilliseconds)
    this.#idle.unref()
  }

  async #fail(socket: Socket, error: Error): Promise<void> {
    const current = await this.#socket?.catch(() => undefined)
    if (current !== socket) return
    this.#tryAnother()
    this.#drop(unreachable(error))
  }

  #drop(error: Error): void {
    clearTimeout(this.#idle)
    const socket = this.#socket
    this.#socket = undefined
    void socket?.then(
      (open) => open.close(),
      () => {},
    )
    for (const id of [...this.#awaited.keys()]) this.#settle(id)?.reject(error)
  }
}

function decoded(bytes: Uint8Array): Message | undefined {
  try {
    return decodeMessage(bytes)
  } catch {
    return undefined
  }
}

function isAnswerTo({ question, opcode }: Awaited, reply: Message): boolean {
  if (!reply.flags.qr || reply.opcode !== opcode) return false
  const [first] = reply.question
  // Some servers send a refusal without the question.
  if (first === undefined) return reply.rcode !== RCODE.NOERROR
  return first.type === question.type && sameName(first.name, question.name)
}

function shown(reply: Message, zone: string): Shown {
  if (reply.rcode !== RCODE.NOERROR && reply.rcode !== RCODE.NXDOMAIN) {
    return { absent: `it answers ${rcodeName(reply.rcode)}` }
  }
  const soa = reply.answer.find(({ name, type }) => type === SOA && sameName(name, zone))
  if (soa === undefined) return { absent: 'it does not have the zone' }
  return reply.flags.aa ? { serial: soaNumber(soa.rdata, 0) } : { absent: 'it answers without authority' }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  EHOSTUNREACH: 'there is no way to that address',
  ENETUNREACH: 'there is no way to that network',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
}

/** What went wrong over TCP, in the words it has over UDP: one trouble is not to look like two that take turns. */
function overTcp({ message, cause }: Error): NoAnswer {
  if (cause instanceof Error) return unreachable(cause)
  const [, key] = /^the master refuses our key with (.*)$/.exec(message) ?? []
  if (key !== undefined) return new NoAnswer(`it refuses our key: ${key}`)
  if (message === 'the answer is not signed') return new NoAnswer('its answer cannot be believed: it is not signed')
  return new NoAnswer(/^nothing came|^it took more/.test(message) ? 'it does not answer' : message)
}

function unreachable(error: Error): NoAnswer {
  if (error instanceof NoAnswer) return error
  const { code } = error as NodeJS.ErrnoException
  return new NoAnswer(reasons[code ?? ''] ?? `it cannot be reached: ${code ?? error.message}`)
}
