import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIP, isIPv6 } from 'node:net'
import { RCODE, rcodeName } from '../dns/codes.ts'
import { decodeMessage, encodeMessage, type Message } from '../dns/message.ts'
import { sameName } from '../dns/name.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { FrameDecoder, frame } from '../dns/stream.ts'
import { BADSIG, signRequest, type TsigCheck, type TsigKey, verifyResponse } from '../dns/tsig.ts'
import { StreamVerifier } from '../dns/tsig-stream.ts'
import { IN, SOA } from '../zonedata/type-codes.ts'
import { soaNumber } from '../zonedata/zone.ts'

import { BadTransfer, type Transfer, type TransferLimits, TransferParser } from './parse-transfer.ts'
import type { Server } from './server.ts'
import { sourceTo } from './source.ts'

/** How long a master is waited for, in milliseconds. */
export type Patience = {
  /** For an answer over UDP, each of the times it is asked. */
  readonly answer: number
  /** For a connection, and for each next part of what comes over it. */
  readonly silence: number
  /** For a whole transfer. */
  readonly transfer: number
}

export const defaultPatience: Patience = { answer: 2000, silence: 10_000, transfer: 600_000 }

const [AXFR, IXFR] = [252, 251]
const attempts = 2

/** Asks a master for the SOA of a zone, over TCP where the answer does not fit a datagram; gives its serial. */
export async function askSerial(
  master: Server,
  zone: string,
  { patience, signal }: { readonly patience: Patience; readonly signal: AbortSignal },
): Promise<number> {
  const question = { name: zone, type: SOA, class: IN }
  const request = signed(questionFor(question), master.key)
  let reply: Message | undefined
  for (let attempt = 0; attempt < attempts && reply === undefined; attempt++) {
    reply = await overUdp(master, request, patience.answer, signal)
  }
  if (reply === undefined) throw new BadTransfer('the master does not answer')
  if (reply.flags.tc) reply = await overTcp(master, request, patience, signal)
  return serialIn(reply, zone)
}

/** Asks a server for the SOA of a zone over TCP; resolves with its whole answer. */
export function askOverTcp(server: Server, zone: string, patience: Patience, signal: AbortSignal): Promise<Message> {
  const request = signed(questionFor({ name: zone, type: SOA, class: IN }), server.key)
  return overTcp(server, request, patience, signal, isBareRefusal)
}

/** Whether an answer refuses and says nothing more. Knot does not sign those for zones that it does not have. */
export const isBareRefusal = ({ rcode, answer }: Message): boolean =>
  (rcode === RCODE.REFUSED || rcode === RCODE.NOTAUTH) && answer.length === 0

/** Takes a zone from a master over TCP: what changed since serial `have`, or without one all of it. */
export async function takeTransfer(
  master: Server,
  zone: string,
  options: {
    readonly have: ResourceRecord | undefined
    readonly limits: TransferLimits
    readonly patience: Patience
    readonly signal: AbortSignal
  },
): Promise<Transfer> {
  const { have, limits, patience, signal } = options
  const question = { name: zone, type: have === undefined ? AXFR : IXFR, class: IN }
  const request = signed({ ...questionFor(question), authority: have === undefined ? [] : [have] }, master.key)
  const parser = new TransferParser(zone, have && soaNumber(have.rdata, 0), limits)
  const verifier = master.key && new StreamVerifier(master.key, request.mac!)
  await converse(master, request.bytes, { ...patience, signal }, (bytes) => {
    if (verifier !== undefined) mustVerify(verifier.next(bytes, new Date()), true)
    const message = answerIn(bytes, request)
    if (message.flags.tc) throw new BadTransfer('the transfer is cut short')
    return parser.take(message, bytes.length)
  })
  if (verifier !== undefined && !verifier.complete) throw new BadTransfer('the last message is not signed')
  return parser.result!
}

type Request = {
  readonly bytes: Uint8Array
  readonly mac: Uint8Array | undefined
  readonly message: Message
  readonly key: TsigKey | undefined
}

const noFlags = { qr: false, aa: false, tc: false, rd: false, ra: false, ad: false, cd: false }

const questionFor = (question: Message['question'][number]): Message => ({
  id: randomInt(65_536),
  opcode: 0,
  rcode: 0,
  flags: noFlags,
  question: [question],
  answer: [],
  authority: [],
  additional: [],
})

function signed(message: Message, key: TsigKey | undefined): Request {
  const plain = encodeMessage(message)
  if (key === undefined) return { bytes: plain, mac: undefined, message, key }
  return { ...signRequest(plain, key, new Date()), message, key }
}

/** A message that answers our question; throws where it is anything else. */
function answerIn(bytes: Uint8Array, { message: asked }: Request): Message {
  const reply = decodeMessage(bytes)
  if (reply.id !== asked.id) throw new BadTransfer(`the answer has id ${reply.id}, not ${asked.id}`)
  if (!reply.flags.qr || reply.opcode !== asked.opcode) throw new BadTransfer('what came is no answer')
  const [question] = reply.question
  const [ours] = [asked.question[0]!]
  const isOurs =
    reply.question.length === 0 ||
    (reply.question.length === 1 && question!.type === ours.type && sameName(question!.name, ours.name))
  if (!isOurs) throw new BadTransfer('the answer is to another question')
  return reply
}

function serialIn(reply: Message, zone: string): number {
  if (reply.rcode !== RCODE.NOERROR)
    throw new BadTransfer(`the master answers ${rcodeName(reply.rcode)} to the question for its SOA`)
  const soa = reply.answer.find(({ name, type }) => type === SOA && sameName(name, zone))
  if (soa === undefined) throw new BadTransfer('the master does not have the zone')
  return soaNumber(soa.rdata, 0)
}

class Unsigned extends BadTransfer {}

function mustVerify(check: TsigCheck | { readonly status: 'missing' }, inStream: boolean): void {
  if (check.status === 'good' || (inStream && check.status === 'unsigned')) return
  if (check.status !== 'bad') throw new Unsigned('the answer is not signed')
  const error = check.error === BADSIG ? 'BADSIG' : rcodeName(check.error)
  throw new BadTransfer(
    check.by === 'peer' ? `the master refuses our key with ${error}` : `the signature of the answer is bad: ${error}`,
  )
}

/** The first right answer over UDP; what is wrong on the way is passed over, since anybody can send it. */
async function overUdp(
  master: Server,
  request: Request,
  wait: number,
  signal: AbortSignal,
): Promise<Message | undefined> {
  const source = await sourceTo(master.host)
  const socket = createSocket(isIPv6(master.host) ? 'udp6' : 'udp4')
  return new Promise<Message | undefined>((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), wait)
    const stop = () => reject(new BadTransfer('stopped'))
    signal.addEventListener('abort', stop)
    socket.once('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    })
    socket.on('error', (error) => reject(unreachable(error)))
    socket.on('message', (bytes) => {
      const reply = tried(() => answerIn(bytes, request))
      if (reply === undefined) return
      const wrong = checked(bytes, request)
      if (wrong === undefined) resolve(reply)
      else reject(wrong)
    })
    if (source !== undefined) socket.bind({ address: source })
    // Connected, so that the system takes datagrams from nobody else; the port is one of its choice.
    socket.connect(master.port, master.host, () => {
      socket.send(request.bytes, (error) => {
        if (error) reject(unreachable(error))
      })
    })
    if (signal.aborted) stop()
  }).finally(() => socket.close())
}

/** What is wrong with the signature of an answer; undefined when nothing is. */
function checked(bytes: Uint8Array, { key, mac }: Request): Error | undefined {
  if (key === undefined) return undefined
  try {
    mustVerify(verifyResponse(bytes, key, mac!, new Date()), false)
    return undefined
  } catch (error) {
    return error as Error
  }
}

function tried<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

async function overTcp(
  master: Server,
  request: Request,
  patience: Patience,
  signal: AbortSignal,
  mayBeUnsigned: (reply: Message) => boolean = () => false,
): Promise<Message> {
  let reply: Message | undefined
  await converse(master, request.bytes, { ...patience, transfer: patience.silence, signal }, (bytes) => {
    const wrong = checked(bytes, request)
    if (wrong !== undefined && !(wrong instanceof Unsigned && mayBeUnsigned(answerIn(bytes, request)))) throw wrong
    reply = answerIn(bytes, request)
    return true
  })
  return reply!
}

/** Sends a request over TCP and hands on each message that comes, until `take` has the last; never for longer than it may take. */
async function converse(
  master: Server,
  request: Uint8Array,
  { silence, transfer, signal }: Pick<Patience, 'silence' | 'transfer'> & { readonly signal: AbortSignal },
  take: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const localAddress = isIP(master.host) ? await sourceTo(master.host) : undefined
  const socket = connect({ host: master.host, port: master.port, noDelay: true, ...(localAddress && { localAddress }) })
  const frames = new FrameDecoder()
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new BadTransfer(`it took more than ${transfer / 1000} s`)), transfer)
    const stop = () => reject(new BadTransfer('stopped'))
    signal.addEventListener('abort', stop)
    socket.once('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      reject(new BadTransfer('the connection was closed before the end'))
    })
    socket.setTimeout(silence, () => reject(new BadTransfer(`nothing came for ${silence / 1000} s`)))
    socket.on('error', (error) => reject(unreachable(error)))
    socket.once('connect', () => socket.write(frame(request)))
    let done = false
    socket.on('data', (chunk: Buffer) => {
      if (done) return
      try {
        for (const bytes of frames.push(chunk)) {
          done = take(bytes)
          if (done) return resolve()
        }
      } catch (error) {
        done = true
        reject(error)
      }
    })
    if (signal.aborted) stop()
  }).finally(() => socket.destroy())
}

const unreachable = (error: Error): BadTransfer =>
  new BadTransfer(`the master cannot be reached: ${(error as NodeJS.ErrnoException).code ?? error.message}`, {
    cause: error,
  })
