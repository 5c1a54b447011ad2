import { RCODE } from '../dns/codes.ts'
import type { Question } from '../dns/message.ts'
import { nameKey } from '../dns/name.ts'
import { ANY, TXT } from '../zonedata/type-codes.ts'
import type { ReplyBody } from './reply.ts'
import type { DnsSettings } from './server-state.ts'

const told: ReadonlyMap<string, 'version' | 'serverId'> = new Map([
  ['version.bind.', 'version'],
  ['version.server.', 'version'],
  ['hostname.bind.', 'serverId'],
  ['id.server.', 'serverId'],
])

/** What questions of class CH are told of this server (RFC 4892), if settings allow. */
export function answerChaos({ name, type, class: klass }: Question, settings: DnsSettings): ReplyBody {
  const setting = told.get(nameKey(name))
  const text = setting && settings[setting]
  if (text === undefined) return { rcode: RCODE.REFUSED }
  if (type !== TXT && type !== ANY) return { rcode: RCODE.NOERROR, aa: true }
  const octets = Buffer.from(text).subarray(0, 255)
  const rdata = new Uint8Array(1 + octets.length)
  rdata[0] = octets.length
  rdata.set(octets, 1)
  return { rcode: RCODE.NOERROR, aa: true, answer: [{ name, type: TXT, class: klass, ttl: 0, rdata }] }
}
