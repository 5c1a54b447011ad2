import { deepEqual, equal } from 'node:assert/strict'
import { type DnsError, WireError } from '../../src/dns/errors.ts'
import { decodeMessage, encodeMessage } from '../../src/dns/message.ts'
import { rdataFromText, rdataToText } from '../../src/dns/rdata.ts'
import { splitTsig } from '../../src/dns/tsig-digest.ts'
import { typeOf, types } from '../../src/dns/types/index.ts'
import { printZoneFile } from '../../src/dns/zonefile/print.ts'
import { parseZoneFile } from '../../src/dns/zonefile/zonefile.ts'
import { corpus } from '../../test/support/message-corpus.ts'

/** What is fuzzed: inputs to start from, words to throw in, and what must hold for any input. */
export type FuzzTarget = {
  readonly seeds: readonly Uint8Array[]
  readonly words: readonly Uint8Array[]
  readonly check: (input: Uint8Array) => void
}

const octets = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'))

const examples = types.filter((type) => !type.meta).flatMap((type) => type.examples.map((text) => ({ type, text })))

const exampleMessages = examples.map(({ type, text }) =>
  encodeMessage({
    ...corpus.answer!,
    answer: [{ name: 'www.example.org.', type: type.code, class: 1, ttl: 60, rdata: rdataFromText(type.code, text) }],
  }),
)

const zone = `$ORIGIN example.org.
$TTL 1h
@ IN SOA ns1 host.example.org. ( 2026010101 ; serial
  2h 15m 2w 5m )
  NS ns1
  3600 IN NS ns2.example.net.
ns1 A 192.0.2.1
*.wild 1w2d TXT "quoted; text" un\\"quoted \\065
$GENERATE 1-3/1 host-\${0,3,x} A 192.0.2.$
$ORIGIN sub
@ CNAME www.example.org.
`

/** The targets by name. */
export const targets: Readonly<Record<string, FuzzTarget>> = {
  message: {
    seeds: [...Object.values(corpus).map((message) => encodeMessage(message)), ...exampleMessages],
    words: [
      [0xc0, 0x0c],
      [0, 41],
      [0, 250],
      [0, 0, 41, 4, 208],
      [0xff, 0xff],
      [0, 1, 0, 1],
    ].map((word) => Uint8Array.from(word)),
    check: checkMessage,
  },
  zonefile: {
    seeds: [octets(zone), ...examples.map(({ type, text }) => octets(`a.example. 60 IN ${type.type} ${text}\n`))],
    words: [
      '$ORIGIN ',
      '$TTL ',
      '$INCLUDE ',
      '$GENERATE 1-9 ',
      '(',
      ')',
      '"',
      '\\',
      '\\# ',
      ';',
      '\n',
      '\r\n',
      '@',
      ' IN ',
      '\\000',
      '.',
      '\n\t',
    ].map(octets),
    check: checkZoneFile,
  },
}

/** Any bytes are a message that stays the same when written and read again, or a WireError. */
function checkMessage(input: Uint8Array): void {
  const message = allowing(WireError, () => decodeMessage(input))
  allowing(WireError, () => splitTsig(input))
  if (message === undefined) return
  // What we write can be longer than what was read: others' compression may be better, or used where ours is not.
  const written = allowing(WireError, () => encodeMessage(message))
  if (written === undefined) return
  const again = decodeMessage(written)
  if (!again.flags.tc || message.flags.tc) deepEqual(again.question, message.question)
  if (again.answer.length === message.answer.length) deepEqual(again.answer, message.answer)
  for (const { type, rdata, class: klass } of message.answer) {
    if (rdata.length === 0 && klass > 253) continue
    if (typeOf(type)?.meta) continue
    deepEqual(rdataFromText(type, rdataToText(type, rdata)), rdata)
  }
}

/** Any text is records and faults, and the records print to text that reads as the same records. */
function checkZoneFile(input: Uint8Array): void {
  const { records } = parseZoneFile(input, { origin: 'origin.example.', ttl: 60, mostGenerated: 1000 })
  const again = parseZoneFile(printZoneFile(records))
  deepEqual(again.faults, [])
  equal(again.records.length, records.length)
  for (const [i, { line: _, ...record }] of again.records.entries()) {
    const { line: __, ...before } = records[i]!
    deepEqual(record, before)
  }
}

function allowing<T>(allowed: typeof DnsError, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof allowed) return undefined
    throw error
  }
}
