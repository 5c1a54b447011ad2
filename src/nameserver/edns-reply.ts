import { type Edns, type EdnsOption, findOption } from '../dns/edns.ts'
import { encodeMessage, type Message } from '../dns/message.ts'
import { labelCount } from '../dns/name.ts'
import { SOA } from '../zonedata/type-codes.ts'
import { soaNumber } from '../zonedata/zone.ts'
import type { ReplyBody } from './reply.ts'
import type { DnsSettings, Request } from './server-state.ts'

/** Extended errors that this server tells (RFC 8914 4). */
export const EDE = {
  NOT_READY: 14,
  PROHIBITED: 18,
  NOT_AUTHORITATIVE: 20,
  NOT_SUPPORTED: 21,
  INVALID_DATA: 24,
} as const

export type ExtendedError = { readonly code: number; readonly text?: string }

const EXPIRE_FIELD = 3
const MOST_TEXT = 120
// RFC 8467 4.1: the recommended block of answers.
const BLOCK = 468
const OPTION_HEADER = 4

/** The OPT record of a reply; only requests that have one get one. */
export function replyEdns(request: Request, body: ReplyBody, settings: DnsSettings): Edns | undefined {
  const asked = request.message.edns
  if (asked === undefined) return undefined
  const { udpSize } = settings
  if (asked.version !== 0) return { udpSize, version: 0, dnssecOk: asked.dnssecOk, options: [] }
  return { udpSize, version: 0, dnssecOk: asked.dnssecOk, options: optionsFor(asked, request, body, settings) }
}

function optionsFor(asked: Edns, request: Request, body: ReplyBody, settings: DnsSettings): EdnsOption[] {
  const options: EdnsOption[] = []
  if (body.error !== undefined) {
    const { code, text = '' } = body.error
    options.push({ option: 'extended-error', code, text: text.slice(0, MOST_TEXT) })
  }
  if (asked.options.length === 0) return options
  const cookie = findOption(asked, 'cookie')
  if (cookie !== undefined && request.cookie !== undefined)
    options.push({ option: 'cookie', client: cookie.client, server: request.cookie.server })
  if (settings.serverId !== undefined && findOption(asked, 'nsid'))
    options.push({ option: 'nsid', id: Buffer.from(settings.serverId) })
  if (request.transport === 'tcp' && findOption(asked, 'tcp-keepalive'))
    options.push({ option: 'tcp-keepalive', tenthsOfSecond: Math.min(settings.tcpIdleSeconds * 10, 0xffff) })
  const { zone } = body
  if (zone !== undefined && findOption(asked, 'zone-version'))
    options.push({ option: 'zone-version', version: versionOf(zone) })
  const seconds = findOption(asked, 'expire') && expireOf(request.message, body)
  if (seconds !== undefined) options.push({ option: 'expire', seconds })
  return options
}

function versionOf({ origin, serial }: { origin: string; serial: number }) {
  const value = new Uint8Array(4)
  new DataView(value.buffer).setUint32(0, serial)
  return { labels: labelCount(origin), type: 0, value }
}

/** RFC 7314 3.2: a primary tells what its SOA says. */
function expireOf({ question }: Message, { answer = [] }: ReplyBody): number | undefined {
  const soa = answer.at(-1)
  if (question[0]?.type !== SOA || soa?.type !== SOA) return undefined
  return soaNumber(soa.rdata, EXPIRE_FIELD)
}

/** The encoded message filled up to whole blocks, if the request asks for that over TCP (RFC 7830); else as it is. */
export function padded(bytes: Uint8Array, message: Message, request: Request, limit: number): Uint8Array {
  const { edns } = message
  if (edns === undefined || request.transport === 'udp' || !findOption(request.message.edns, 'padding')) return bytes
  const filled = Math.min(Math.ceil((bytes.length + OPTION_HEADER) / BLOCK) * BLOCK, limit)
  const length = filled - bytes.length - OPTION_HEADER
  if (length < 0) return bytes
  const options: EdnsOption[] = [...edns.options, { option: 'padding', length }]
  return encodeMessage({ ...message, edns: { ...edns, options } }, { limit })
}
