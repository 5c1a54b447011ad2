import { RCODE } from '../dns/codes.ts'
import { WireError } from '../dns/errors.ts'
import { encodeMessage, type Message } from '../dns/message.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { signFailure, signResponse, type TsigFailure, tsigRoom } from '../dns/tsig.ts'
import { type ExtendedError, padded, replyEdns } from './edns-reply.ts'
import type { Request, ServedZone, ServerState } from './server-state.ts'

/** What a reply says; what is left out is empty. */
export type ReplyBody = {
  readonly rcode: number
  readonly aa?: boolean
  readonly answer?: readonly ResourceRecord[]
  readonly authority?: readonly ResourceRecord[]
  readonly additional?: readonly ResourceRecord[]
  readonly error?: ExtendedError
  /** The zone the answer is from, for the options that tell of it. */
  readonly zone?: ServedZone
}

const LEAST_UDP = 512
const MOST = 65535

/** The bytes of a reply: EDNS as asked for, cut to what the transport carries, signed if the request was. */
export function reply(request: Request, body: ReplyBody, server: ServerState): Uint8Array {
  const { signed, now } = request
  if (signed === undefined) return encode(request, body, server, 0)
  return signResponse(encode(request, body, server, tsigRoom(signed.key)), signed.key, signed.mac, now).bytes // [S31]
}

/** The reply to a request whose signature is not good. */
export function failureReply(request: Request, failure: TsigFailure, server: ServerState): Uint8Array {
  const room = failure.key === undefined ? 2 * 255 + 26 : tsigRoom(failure.key)
  return signFailure(encode(request, { rcode: RCODE.NOTAUTH }, server, room), failure, request.now)
}

/** How many octets a reply to this request may have. */
export function replyLimit({ transport, message: { edns } }: Request, { settings }: ServerState): number {
  if (transport === 'tcp') return MOST
  return edns === undefined ? LEAST_UDP : Math.min(Math.max(edns.udpSize, LEAST_UDP), settings.udpSize)
}

function encode(request: Request, body: ReplyBody, server: ServerState, room: number): Uint8Array {
  const { id, opcode, question, flags } = request.message
  const edns = replyEdns(request, body, server.settings)
  const message: Message = {
    id,
    opcode,
    rcode: body.rcode,
    flags: { qr: true, aa: body.aa ?? false, tc: false, rd: flags.rd, ra: false, ad: false, cd: false }, // [S10]
    question,
    answer: body.answer ?? [],
    authority: body.authority ?? [],
    additional: body.additional ?? [],
    ...(edns && { edns }),
  }
  const limit = replyLimit(request, server) - room
  try {
    return padded(encodeMessage(message, { limit }), message, request, limit)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return withoutData(message)
  }
}

// RFC 8945 5.3: where even the question leaves no room for the signature, it and the question are all there is, and TC.
function withoutData(message: Message): Uint8Array {
  const { edns, ...rest } = message
  return encodeMessage({
    ...rest,
    flags: { ...message.flags, tc: true },
    answer: [],
    authority: [],
    additional: [],
    ...(edns && { edns: { ...edns, options: [] } }),
  })
}
