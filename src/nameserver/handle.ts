import { OPCODE, RCODE } from '../dns/codes.ts'
import { findOption } from '../dns/edns.ts'
import { DnsError } from '../dns/errors.ts'
import { bareReply, decodeMessage, hasRightQuestionCount, type Message } from '../dns/message.ts'
import { type TsigCheck, verifyRequest } from '../dns/tsig.ts'
import { IN } from '../zonedata/type-codes.ts'
import { recordsOf } from '../zonedata/zone.ts'
import { answerChaos } from './chaos.ts'
import { checkCookie } from './cookies.ts'
import { EDE } from './edns-reply.ts'
import { DROP, PASS, truncateReply } from './rate-limit.ts'
import { failureReply, reply } from './reply.ts'
import type { Arrival, Request, ServerState } from './server-state.ts'

const HEADER = 12
const CH = 3
const OPT = 41
const TKEY = 249
const TSIG = 250
const IXFR = 251
const AXFR = 252
const MAILB = 253
const MAILA = 254

/**
 * The reply to a request, or the messages of a transfer; undefined is silence, kept only where the bytes are no request at
 * all, where a rate is over its limit, or where another thread answers. Never throws.
 */
export function handle(
  bytes: Uint8Array,
  arrival: Arrival,
  server: ServerState,
): Uint8Array | AsyncIterable<Uint8Array> | undefined {
  if (bytes.length < HEADER || (bytes[2]! & 0x80) !== 0) {
    server.counters.event('ignored') // [S1]
    return undefined
  }
  try {
    const read = readRequest(bytes, arrival, server)
    const request = read instanceof Uint8Array ? undefined : read
    const replied = read instanceof Uint8Array ? read : respond(read, server)
    if (replied instanceof Uint8Array) return passed(replied, arrival, request, server)
    return replied && passedLater(replied, arrival, request, server)
  } catch (error) {
    server.report(error)
    return bareReply(bytes, RCODE.SERVFAIL)
  }
}

/** The request the bytes stand for, its signature and cookie checked, or the reply to bytes that are none. */
function readRequest(bytes: Uint8Array, arrival: Arrival, server: ServerState): Request | Uint8Array {
  let message: Message
  let check: TsigCheck = { status: 'unsigned' }
  try {
    message = decodeMessage(bytes)
    if (message.tsig !== undefined) check = verifyRequest(bytes, server.findKey, arrival.now)
  } catch (error) {
    if (!(error instanceof DnsError)) throw error
    const opcode = (bytes[2]! >> 3) & 0xf
    const known = opcode === OPCODE.QUERY || opcode === OPCODE.NOTIFY
    return bareReply(bytes, known ? RCODE.FORMERR : RCODE.NOTIMP)! // [S2] [S4]
  }
  const cookie = findOption(message.edns, 'cookie')
  const { cookieSecrets } = server.settings
  const request: Request = {
    ...arrival,
    bytes,
    message,
    signed: check.status === 'good' ? check : undefined,
    cookie:
      cookie === undefined || cookieSecrets.length === 0
        ? undefined
        : checkCookie(cookie, arrival.client.address, cookieSecrets, arrival.now.getTime()),
  }
  return check.status === 'bad' ? failureReply(request, check, server) : request // [S30]
}

function respond(request: Request, server: ServerState): Uint8Array | AsyncIterable<Uint8Array> | undefined {
  const { message } = request
  if (message.edns !== undefined && message.edns.version !== 0) return reply(request, { rcode: RCODE.BADVERS }, server) // [S11]
  if (message.opcode !== OPCODE.QUERY && message.opcode !== OPCODE.NOTIFY)
    return reply(request, { rcode: RCODE.NOTIMP, error: { code: EDE.NOT_SUPPORTED } }, server) // [S4]
  if (!hasRightQuestionCount(message)) return reply(request, { rcode: RCODE.FORMERR }, server) // [S3]
  if (message.opcode === OPCODE.NOTIFY) {
    const rcode = server.notify(request)
    if (rcode instanceof Promise) return answerLater(rcode, request, server)
    return rcode === undefined ? undefined : reply(request, { rcode, aa: true }, server)
  }
  const question = message.question[0]
  if (question === undefined) return reply(request, { rcode: RCODE.NOERROR }, server) // [S20]
  if (question.class === CH) return reply(request, answerChaos(question, server.settings), server)
  if (question.class !== IN)
    return reply(request, { rcode: RCODE.REFUSED, error: { code: EDE.NOT_AUTHORITATIVE } }, server) // [S5]
  switch (question.type) {
    case IXFR:
      return server.transfer(request)
    case AXFR:
      // RFC 5936 4.2: AXFR is not defined over UDP.
      if (request.transport === 'udp') return reply(request, { rcode: RCODE.FORMERR }, server)
      return server.transfer(request)
    case OPT:
    case TSIG:
      return reply(request, { rcode: RCODE.FORMERR }, server)
    case TKEY:
    case MAILA:
    case MAILB:
      return reply(request, { rcode: RCODE.NOTIMP, error: { code: EDE.NOT_SUPPORTED } }, server) // [S6]
    default:
      return answerQuestion(request, question, server)
  }
}

function answerQuestion(request: Request, question: { name: string; type: number }, server: ServerState): Uint8Array {
  const served = server.zones.answer(question)
  if (served === undefined)
    return reply(request, { rcode: RCODE.REFUSED, error: { code: EDE.NOT_AUTHORITATIVE } }, server) // [S7]
  if (served.state === 'failed')
    return reply(request, { rcode: RCODE.SERVFAIL, error: { code: EDE.INVALID_DATA, text: served.reason } }, server) // [S8]
  if (served.state === 'awaited') {
    server.wanted(served.id)
    return reply(request, { rcode: RCODE.SERVFAIL, error: { code: EDE.NOT_READY } }, server) // [S9]
  }
  const { zone, answer } = served
  return reply(
    request,
    {
      rcode: answer.rcode,
      aa: answer.aa,
      answer: answer.answer.flatMap(recordsOf),
      authority: answer.authority.flatMap(recordsOf),
      additional: answer.additional.flatMap(recordsOf),
      zone,
    },
    server,
  )
}

async function* answerLater(rcode: Promise<number>, request: Request, server: ServerState): AsyncGenerator<Uint8Array> {
  yield reply(request, { rcode: await rcode, aa: true }, server)
}

/** What is sent of a reply, counted. */
function passed(
  bytes: Uint8Array,
  arrival: Arrival,
  request: Request | undefined,
  server: ServerState,
): Uint8Array | undefined {
  const sent = arrival.transport === 'udp' ? limited(bytes, arrival, request, server) : bytes
  if (sent !== undefined) server.counters.reply(arrival.transport, sent, 0, sent.length)
  return sent
}

/** Replies that are not there yet; they count as one. */
async function* passedLater(
  replies: AsyncIterable<Uint8Array>,
  arrival: Arrival,
  request: Request | undefined,
  server: ServerState,
): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const bytes of replies) {
    const sent = isFirst ? passed(bytes, arrival, request, server) : bytes
    if (sent === undefined) return
    isFirst = false
    yield sent
  }
}

/** A reply over UDP as far as its rate allows: whole, cut to a hint, or not at all. */
function limited(
  bytes: Uint8Array,
  { client: { address }, now }: Arrival,
  request: Request | undefined,
  server: ServerState,
): Uint8Array | undefined {
  const { limiter, counters } = server
  if (limiter === undefined || request?.signed || request?.cookie?.good) return bytes // [S21] [S42]
  const verdict = limiter.check(address, 0, address.length, bytes, 0, bytes.length, now.getTime())
  if (verdict === PASS) return bytes
  counters.event(verdict === DROP ? 'rate_dropped' : 'rate_slipped')
  if (verdict === DROP) return undefined
  // A client that shows a cookie gets one it can come back with; it costs no more than the hint to use TCP.
  if (request?.cookie !== undefined) return reply(request, { rcode: RCODE.BADCOOKIE }, server) // [S22]
  const cut = new Uint8Array(bytes)
  return cut.subarray(0, truncateReply(cut, 0, cut.length)) // [S41]
}
