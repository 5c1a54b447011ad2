import { decodeMessage } from '../../src/dns/message.ts'
import { rdataToText } from '../../src/dns/rdata.ts'
import { typeCode } from '../../src/dns/types/index.ts'
import { askUdp } from './dns-transports.ts'
import { query } from './nameserver.ts'
import type { Service } from './service.ts'

export { until } from './served.ts'

/** A zone as the service shows it. */
export type ShownSecondary = {
  readonly id: string
  readonly status: string
  readonly action: string
  readonly serial: number
  readonly email: string
  readonly ttl: number
  readonly version: number
  readonly transferred_at: string | null
}

/** Calls the service, as an administrator. */
export async function askService<T = unknown>(
  service: Pick<Service, 'url'>,
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<T> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'X-Roles': 'admin', 'X-Auth-Project-ID': 'p', 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Makes a SECONDARY zone; gives its id. */
export async function newSecondary(
  service: Pick<Service, 'url'>,
  name: string,
  masters: readonly string[],
): Promise<string> {
  const zone = await askService<{ id: string }>(service, '/v2/zones', 'POST', { name, type: 'SECONDARY', masters })
  return zone.id
}

export const show = (service: Pick<Service, 'url'>, id: string): Promise<ShownSecondary> =>
  askService(service, `/v2/zones/${id}`)

async function ask(port: number, name: string, type: string) {
  const bytes = await askUdp({ host: '127.0.0.1', port }, query(name, type), 1000)
  return bytes === undefined ? undefined : decodeMessage(bytes)
}

/** What a server answers to a question, as text. */
export async function servedTexts(service: Pick<Service, 'dnsPort'>, name: string, type: string): Promise<string[]> {
  const reply = await ask(service.dnsPort, name, type)
  const code = typeCode(type)!
  return (reply?.answer ?? []).filter((record) => record.type === code).map(({ rdata }) => rdataToText(code, rdata))
}

/** The rcode of a server's answer about a name's SOA. */
export const rcodeAt = async (port: number, name: string): Promise<number | undefined> =>
  (await ask(port, name, 'SOA'))?.rcode

/** The serial that a server has of a zone; undefined where it has none. */
export async function serialAt(port: number, name: string): Promise<number | undefined> {
  const reply = await ask(port, name, 'SOA')
  const soa = reply?.rcode === 0 ? reply.answer[0] : undefined
  if (soa === undefined) return undefined
  return new DataView(soa.rdata.buffer, soa.rdata.byteOffset).getUint32(soa.rdata.length - 20)
}
