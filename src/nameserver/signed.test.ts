import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { from, query, serverOf, testKey } from '../../test/support/nameserver.ts'
import { RCODE } from '../dns/codes.ts'
import { decodeMessage } from '../dns/message.ts'
import { BADSIG, signRequest, type TsigKey, verifyResponse } from '../dns/tsig.ts'
import { handle } from './handle.ts'

const { now } = from()
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)

function askSigned(bytes: Uint8Array, key: TsigKey, at = now, server = serverOf()) {
  const request = signRequest(bytes, key, at)
  const reply = handle(request.bytes, from(), server) as Uint8Array
  return { reply, message: decodeMessage(reply), check: verifyResponse(reply, key, request.mac, at) }
}

test('[S31] the reply to a signed request is signed, and fits with its signature', () => {
  const { check, message } = askSigned(query('www.example.', 'A'), testKey)
  deepEqual([check.status, message.rcode, message.answer.length], ['good', 0, 2])
  const cut = askSigned(query('text.example.', 'TXT'), testKey)
  deepEqual([cut.check.status, cut.message.flags.tc, cut.reply.length <= 512], ['good', true, true])
  const edns = askSigned(query('text.example.', 'TXT', { edns: {} }), testKey)
  deepEqual([edns.check.status, edns.reply.length <= 1232], ['good', true])
})

test('[S30] a key we do not hold is answered NOTAUTH with BADKEY, unsigned', () => {
  const { message, check } = askSigned(query('www.example.', 'A'), { ...testKey, name: 'nobody.' })
  deepEqual([message.rcode, message.tsig?.error, message.tsig?.mac.length], [RCODE.NOTAUTH, RCODE.BADKEY, 0])
  deepEqual([message.answer, check.status], [[], 'bad'])
})

test('[S30] a wrong signature is answered NOTAUTH with BADSIG, unsigned', () => {
  const { message } = askSigned(query('www.example.', 'A'), { ...testKey, secret: Buffer.from('wrong') })
  deepEqual([message.rcode, message.tsig?.error, message.tsig?.mac.length], [RCODE.NOTAUTH, BADSIG, 0])
})

test('[S30] a wrong time is answered NOTAUTH with BADTIME and ours, signed', () => {
  const { message } = askSigned(query('www.example.', 'A'), testKey, later(-301))
  deepEqual([message.rcode, message.tsig?.error, message.tsig?.mac.length], [RCODE.NOTAUTH, RCODE.BADTIME, 32])
  equal(Buffer.from(message.tsig!.other).readUIntBE(0, 6), now.getTime() / 1000)
  equal(askSigned(query('www.example.', 'A'), testKey, later(-299)).message.rcode, 0)
})

test('[S30] a signature that stands wrongly or is malformed is FORMERR', () => {
  const { bytes } = signRequest(query('www.example.', 'A'), testKey, now)
  const twice = signRequest(bytes, testKey, now).bytes
  equal(decodeMessage(handle(twice, from(), serverOf()) as Uint8Array).rcode, RCODE.FORMERR)
  const short = signRequest(query('www.example.', 'A'), { ...testKey, macLength: 4 }, now).bytes
  equal(decodeMessage(handle(short, from(), serverOf()) as Uint8Array).rcode, RCODE.FORMERR)
})

test('[S31] names so long that question and signature are over 512 octets leave just these, and TC', () => {
  const name = `${'a'.repeat(60)}.`.repeat(4)
  const key = { ...testKey, name, algorithm: 'hmac-sha512' } as const
  const server = serverOf({ findKey: () => key })
  const { message, check, reply } = askSigned(query(`${name.slice(0, 183)}example.`, 'A'), key, now, server)
  deepEqual([check.status, message.flags.tc, message.question.length], ['good', true, 1])
  ok(reply.length > 512)
})
