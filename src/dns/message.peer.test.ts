import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyMessage } from '../../test/support/dns-messages.ts'
import { dnspython } from '../../test/support/dnspython.ts'
import { corpus } from '../../test/support/message-corpus.ts'
import { decodeMessage, encodeMessage, type Message } from './message.ts'
import { nameKey } from './name.ts'
import { canonicalRdata } from './rdata.ts'
import type { ResourceRecord } from './record.ts'

type Again = { wire: string; text: string; opcode: number; rcode: number; fault?: string }

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

// dnspython compresses without regard to case, so what it writes has the case of whichever name came first.
const folded = (record: ResourceRecord) => ({
  ...record,
  name: nameKey(record.name),
  rdata: hex(canonicalRdata(record.type, record.rdata)),
})
const comparable = (message: Message) => ({
  ...message,
  question: message.question.map((question) => ({ ...question, name: nameKey(question.name) })),
  answer: message.answer.map(folded),
  authority: message.authority.map(folded),
  additional: message.additional.map(folded),
})

// dnspython takes an empty subaddress of ISDN for none, and compresses names in IPSECKEY, LP and AMTRELAY against RFC 3597 4.
function isKept({ type, rdata }: ResourceRecord): boolean {
  return type === 20 ? rdata.at(-1) !== 0 : ![45, 107, 260].includes(type)
}

function unsigned({ tsig: _, ...message }: Message): Message {
  return message
}

function compareAll(messages: readonly Message[]): void {
  const results = dnspython<Again>(messages.map((message) => ({ do: 'again', wire: hex(encodeMessage(message)) })))
  for (const [i, message] of messages.entries()) {
    const { fault, wire, opcode, rcode } = results[i]!
    equal(fault, undefined, `${fault}\n${hex(encodeMessage(message))}`)
    deepEqual([opcode, rcode], [message.opcode, message.rcode])
    deepEqual(comparable(decodeMessage(Buffer.from(wire, 'hex'))), comparable(message))
  }
}

test('[M10] dnspython reads our messages, and we read what it makes of them as the same messages', () => {
  compareAll(Object.values(corpus).map(unsigned))
})

test('[M10] dnspython and we agree about random messages', () => {
  const plain = anyMessage.map((message) => ({
    ...unsigned(message),
    opcode: 0,
    answer: message.answer.filter(isKept),
    authority: message.authority.filter(isKept),
    additional: message.additional.filter(isKept),
  }))
  compareAll(fc.sample(plain, { numRuns: 300, seed: 20260921 }))
})
