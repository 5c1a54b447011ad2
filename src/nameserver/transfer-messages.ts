import { RCODE } from '../dns/codes.ts'
import { encodeMessage, type Message } from '../dns/message.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { packRecords } from '../dns/stream.ts'
import { tsigRoom } from '../dns/tsig.ts'
import { StreamSigner } from '../dns/tsig-stream.ts'
import { replyEdns } from './edns-reply.ts'
import type { DnsSettings, Request } from './server-state.ts'

/** A whole zone to be sent: `pack` gives its messages, the first beginning with `head`, with `room` octets to spare in each. */
export type Whole = { pack(head: Uint8Array, room: number): Generator<Uint8Array>; release(): void }

const HEADER = 12
const flags = { qr: true, aa: true, tc: false, rd: false, ra: false, ad: false, cd: false }

/** The messages of a transfer of a whole zone. */
export function wholeMessages(request: Request, whole: Whole, settings: DnsSettings): Generator<Uint8Array> {
  return sealed(request, settings, (room) => whole.pack(encodeMessage(empty(request)), room))
}

/** The messages of a transfer of changes. */
export function changeMessages(
  request: Request,
  records: readonly ResourceRecord[],
  settings: DnsSettings,
): Generator<Uint8Array> {
  return sealed(request, settings, (room) => packRecords(empty(request), records, { room }))
}

/** Gives the first message the OPT record that the request asks for, and each its signature where the request has one. */
function* sealed(
  request: Request,
  settings: DnsSettings,
  pack: (room: number) => Generator<Uint8Array>,
): Generator<Uint8Array> {
  const { signed } = request
  const signer = signed && new StreamSigner(signed.key, signed.mac)
  let opt = optOf(request, settings)
  for (const packed of pack((signed === undefined ? 0 : tsigRoom(signed.key)) + opt.length)) {
    const message = withOpt(packed, opt)
    opt = NOTHING
    yield signer?.sign(message, new Date()).bytes ?? message
  }
}

const NOTHING = new Uint8Array(0)

const empty = ({ message: { id, opcode, question } }: Request): Message => ({
  id,
  opcode,
  rcode: RCODE.NOERROR,
  flags,
  question,
  answer: [],
  authority: [],
  additional: [],
})

/** The octets of the OPT record for a reply; none where the request has none. */
function optOf(request: Request, settings: DnsSettings): Uint8Array {
  const edns = replyEdns(request, { rcode: RCODE.NOERROR }, settings)
  return edns === undefined ? NOTHING : encodeMessage({ ...empty(request), question: [], edns }).subarray(HEADER)
}

function withOpt(message: Uint8Array, opt: Uint8Array): Uint8Array {
  if (opt.length === 0) return message
  const out = new Uint8Array(message.length + opt.length)
  out.set(message)
  out.set(opt, message.length)
  out[11] = 1
  return out
}
