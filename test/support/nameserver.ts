import { RCODE } from '../../src/dns/codes.ts'
import type { EdnsOption } from '../../src/dns/edns.ts'
import { decodeMessage, encodeMessage, type Message } from '../../src/dns/message.ts'
import { isAtOrBelow, isBelow } from '../../src/dns/name.ts'
import type { TsigKey } from '../../src/dns/tsig.ts'
import { Counters } from '../../src/nameserver/counters.ts'
import { handle } from '../../src/nameserver/handle.ts'
import { reply } from '../../src/nameserver/reply.ts'
import type { Arrival, DnsSettings, ServedZones, ServerState } from '../../src/nameserver/server-state.ts'
import { answer } from '../../src/zonedata/answer.ts'
import { DS } from '../../src/zonedata/type-codes.ts'
import { serialOf, type Zone } from '../../src/zonedata/zone.ts'
import { blank, question } from './message-corpus.ts'
import { zoneFrom } from './zones.ts'

const many = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i)).join('\n')

/** Zones with something of everything that replies differ by. */
export const testZones: readonly Zone[] = [
  zoneFrom(
    'example.',
    `@ 7200 SOA ns1.example. host.example. 7 3600 600 86400 300
     @ NS ns1.example.
     ns1 A 127.0.0.1
     www A 192.0.2.1
     www A 192.0.2.2
     www AAAA 2001:db8::1
     alias CNAME www
     across CNAME www.other.
     away CNAME www.elsewhere.test.
     *.wild TXT "wild"
     sub NS ns.sub
     ns.sub A 192.0.2.5
     child NS ns1.example.
     child DS 1 8 2 00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF
     ${many(40, (i) => `large A 198.51.100.${i}`)}
     ${many(30, (i) => `cut NS a-rather-long-name-of-a-server-${i}.cut`)}
     ${many(30, (i) => `a-rather-long-name-of-a-server-${i}.cut A 198.51.100.${i}`)}
     ${many(9, (i) => `text TXT "${'x'.repeat(200)}${i}"`)}`,
  ),
  zoneFrom(
    'child.example.',
    `@ SOA ns1.example. host.example. 8 3600 600 86400 300
     @ NS ns1.example.
     www A 192.0.2.8`,
  ),
  zoneFrom(
    'other.',
    `@ SOA ns1.example. host.example. 9 3600 600 86400 300
     @ NS ns1.example.
     www A 192.0.2.9`,
  ),
]

/** Zone values as the handler asks for them. `failed.` cannot be served, `awaited.` is still to be read. */
export function zonesOf(zones: readonly Zone[]): ServedZones {
  const closest = (name: string, type: number) => {
    const [first, second] = zones
      .filter((zone) => isAtOrBelow(name, zone.origin))
      .toSorted((a, b) => b.origin.length - a.origin.length)
    return type === DS && first && second && !isBelow(name, first.origin) ? second : first
  }
  return {
    answer: (asked) => {
      if (isAtOrBelow(asked.name, 'failed.')) return { state: 'failed', reason: 'the SOA is missing' }
      if (isAtOrBelow(asked.name, 'awaited.')) return { state: 'awaited', id: 'awaited-id' }
      const zone = closest(asked.name, asked.type)
      if (zone === undefined) return undefined
      return {
        state: 'ready',
        zone: { origin: zone.origin, serial: serialOf(zone)! },
        answer: answer(zone, asked, closest),
      }
    },
  }
}

export const testKey: TsigKey = { name: 'key.example.', algorithm: 'hmac-sha256', secret: Buffer.from('secret') }

export const testSettings: DnsSettings = {
  udpSize: 1232,
  serverId: 'ns-one',
  version: 'Nameplane',
  cookieSecrets: [Buffer.from('e5e973e5a6b2a43f48e7dc849e37bfcf', 'hex')],
  tcpIdleSeconds: 30,
}

/** A server over the test zones. Its transfers are three messages, the question's own; NOTIFY is refused. */
export function serverOf(given: Partial<ServerState> = {}): ServerState {
  const server: ServerState = {
    zones: zonesOf(testZones),
    findKey: (name) => (name === testKey.name ? testKey : undefined),
    settings: testSettings,
    limiter: undefined,
    counters: new Counters(),
    transfer: (request) => {
      if (request.transport === 'udp') return reply(request, { rcode: RCODE.REFUSED }, server)
      return (async function* () {
        for (let i = 0; i < 3; i++) {
          yield reply(request, { rcode: RCODE.NOERROR, aa: true }, server)
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      })()
    },
    notify: () => RCODE.REFUSED,
    wanted: () => {},
    report: (error) => {
      throw error
    },
    ...given,
  }
  return server
}

export const from = (
  transport: 'udp' | 'tcp' = 'udp',
  address: readonly number[] = [192, 0, 2, 99],
  now: Date = new Date('2026-01-01T00:00:00Z'),
): Arrival => ({ client: { address: Uint8Array.from(address), port: 5300 }, transport, now })

/** The bytes of a query; `edns` is put into its OPT record. */
export function query(
  name: string,
  type: string,
  { edns, ...given }: Partial<Omit<Message, 'edns'>> & { edns?: Partial<Message['edns']> & object } = {},
): Uint8Array {
  return encodeMessage({
    ...blank,
    question: [question(name, type)],
    ...given,
    ...(edns && { edns: { udpSize: 4096, version: 0, dnssecOk: false, options: [], ...edns } }),
  })
}

/** What a server says to these bytes; fails where it says nothing or many things. */
export function ask(bytes: Uint8Array, server: ServerState = serverOf(), arrival: Arrival = from()): Message {
  const handled = handle(bytes, arrival, server)
  if (!(handled instanceof Uint8Array)) throw new Error(`one reply was due, not ${handled}`)
  return decodeMessage(handled)
}

/** A reply's option of a kind. */
export function optionOf<K extends EdnsOption['option']>(message: Message, kind: K) {
  return message.edns?.options.find((option): option is Extract<EdnsOption, { option: K }> => option.option === kind)
}
