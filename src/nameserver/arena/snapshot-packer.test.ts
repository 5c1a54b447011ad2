import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arbitraryZone } from '../../../test/support/arbitrary-zones.ts'
import { blank, question } from '../../../test/support/message-corpus.ts'
import { linesOf, recordsFrom, zoneFrom } from '../../../test/support/zones.ts'
import { decodeMessage, encodeMessage } from '../../dns/message.ts'
import { nameKey } from '../../dns/name.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import { SOA, TXT } from '../../zonedata/type-codes.ts'
import { recordsOf, rrsets, type Zone } from '../../zonedata/zone.ts'
import { packSnapshot } from './snapshot-packer.ts'
import { ArenaWriter } from './writer.ts'

const soaLine = '@ SOA ns.example. host.example. 7 3600 600 86400 300'
const head = (origin: string) => encodeMessage({ ...blank, question: [question(origin, 'AXFR')] })
const recordsIn = (zone: Zone): ResourceRecord[] => [...rrsets(zone)].flatMap(recordsOf)

function packed(origin: string, records: readonly ResourceRecord[], room = 0) {
  const writer = new ArenaWriter()
  writer.putZone({ id: 'z', name: origin, serial: 7 }, records)
  const snapshot = writer.snapshot('z')
  const messages = [...packSnapshot(snapshot, head(origin), room)]
  snapshot.release()
  return messages
}

const answersOf = (messages: readonly Uint8Array[]) => messages.flatMap((bytes) => decodeMessage(bytes).answer)

test('[S84] a whole zone is its SOA, every other record once, and its SOA again', () => {
  for (const origin of ['example.', 'a.very.deep.example.']) {
    fc.assert(
      fc.property(arbitraryZone(origin), (zone) => {
        const records = recordsIn(zone)
        fc.pre(records.some(({ type }) => type === SOA))
        // A label is written in one letter case in all names below it, so that is not compared.
        const inLowerCase = (all: readonly ResourceRecord[]) =>
          linesOf(all.map((one) => ({ ...one, name: nameKey(one.name) })))
        const answers = inLowerCase(answersOf(packed(origin, records)))
        const soa = inLowerCase(records.filter(({ type }) => type === SOA))
        equal(answers[0], soa[0])
        equal(answers.at(-1), soa[0])
        deepEqual(answers.slice(1).toSorted(), inLowerCase(records).toSorted())
      }),
      { numRuns: 60 },
    )
  }
})

test('[S84] the root zone, whose name is one octet, is no exception', () => {
  const records = recordsFrom(
    '.',
    '. SOA ns. host. 7 3600 600 86400 300\n. NS a.\n. NS b.\na A 192.0.2.1\nx.a A 192.0.2.2',
  )
  const answers = linesOf(answersOf(packed('.', records)))
  deepEqual(answers.toSorted(), linesOf([records[0]!, ...records]).toSorted())
})

test('[S84] messages are full but for the last, keep the room that is asked for, and have the question in the first only', () => {
  const many = Array.from({ length: 5000 }, (_, i) => `n${i}.sub${i % 7} A 192.0.2.${i % 250}`).join('\n')
  const zone = zoneFrom('example.', `${soaLine}\n${many}`)
  const messages = packed('example.', recordsIn(zone), 300)
  ok(messages.length > 3)
  for (const [i, bytes] of messages.entries()) {
    ok(bytes.length <= 0x4000 - 300, `${bytes.length} octets`)
    if (i < messages.length - 1) ok(bytes.length > 0x4000 - 400, `${bytes.length} octets`)
    equal(decodeMessage(bytes).question.length, i === 0 ? 1 : 0)
  }
  deepEqual(linesOf(answersOf(messages)).slice(1).toSorted(), linesOf(recordsIn(zone)).toSorted())
  // Owners are pointers for the most part: without any, each would take 18 octets more.
  ok(messages.reduce((sum, { length }) => sum + length, 0) < 5000 * 26)
})

test('[S84] records larger than a usual message go in one of their own, up to what a message can hold', () => {
  const large = (octets: number): ResourceRecord => {
    const rdata = new Uint8Array(octets)
    for (let at = 0; at < octets; at += 256) rdata[at] = Math.min(255, octets - at - 1)
    return { name: 'large.example.', type: TXT, class: 1, ttl: 1, rdata }
  }
  const soa = recordsFrom('example.', soaLine)
  for (const octets of [100, 16_300, 16_384, 40_000, 65_000]) {
    const answers = answersOf(
      packed('example.', [...soa, large(octets), ...recordsFrom('example.', 'b A 192.0.2.1')], 200),
    )
    equal(answers.length, 4)
    equal(answers.find(({ type }) => type === TXT)?.rdata.length, octets)
  }
  throws(() => packed('example.', [...soa, large(65_400)], 200), /does not fit/)
})
