import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { corpus } from '../../test/support/message-corpus.ts'
import { RCODE } from './codes.ts'
import { WireError } from './errors.ts'
import { decodeMessage, encodeMessage } from './message.ts'
import {
  BADSIG,
  signFailure,
  signRequest,
  signResponse,
  type TsigAlgorithm,
  type TsigCheck,
  type TsigFailure,
  type TsigKey,
  tsigAlgorithms,
  tsigRoom,
  verifyRequest,
  verifyResponse,
} from './tsig.ts'
import { splitTsig } from './tsig-digest.ts'
import { StreamSigner, StreamVerifier } from './tsig-stream.ts'

const now = new Date('2026-09-21T12:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const algorithms = Object.keys(tsigAlgorithms) as TsigAlgorithm[]
const key = (algorithm: TsigAlgorithm = 'hmac-sha256', rest: Partial<TsigKey> = {}): TsigKey => ({
  name: 'Key.Example.',
  algorithm,
  secret: Buffer.from('a secret of some length'),
  ...rest,
})
const held =
  (...keys: TsigKey[]) =>
  (name: string) =>
    keys.find((k) => k.name.toLowerCase() === name)
const query = encodeMessage(corpus.query!)
const answer = encodeMessage(corpus.answer!)

function failed(result: TsigCheck | { status: 'missing' }, error: number, by: 'us' | 'peer' = 'us'): TsigFailure {
  if (result.status !== 'bad') throw new Error(`the check is ${result.status}`)
  deepEqual([result.error, result.by], [error, by])
  return result
}

for (const algorithm of algorithms) {
  test(`[M19] a request and its answer signed with ${algorithm} verify, and only unchanged`, () => {
    const k = key(algorithm)
    const request = signRequest(query, k, now)
    equal(verifyRequest(request.bytes, held(k), now).status, 'good')
    equal(request.mac.length, tsigAlgorithms[algorithm].octets)
    equal(decodeMessage(request.bytes).tsig?.algorithm, tsigAlgorithms[algorithm].name)
    ok(request.bytes.length - query.length <= tsigRoom(k))
    const response = signResponse(answer, k, request.mac, now)
    equal(verifyResponse(response.bytes, k, request.mac, now).status, 'good')
    failed(verifyResponse(response.bytes, k, new Uint8Array(request.mac.length), now), BADSIG)
    failed(verifyRequest(response.bytes, held(k), now), BADSIG)
  })
}

test('[M19] no octet of a signed message can change unseen, but the id and letter case in the TSIG', () => {
  const k = key()
  const { bytes } = signRequest(query, k, now)
  for (let at = 2; at < bytes.length; at++) {
    const changed = bytes.slice()
    changed[at]! ^= 0x04
    let status = ''
    try {
      status = verifyRequest(changed, held(k), now).status
    } catch (error) {
      if (!(error instanceof WireError)) throw error
    }
    ok(status !== 'good', `octet ${at}`)
  }
})

test('[M19] a forwarder may change the id: the signed one is in the TSIG', () => {
  const k = key()
  const { bytes } = signRequest(query, k, now)
  bytes[0]! ^= 0xff
  equal(verifyRequest(bytes, held(k), now).status, 'good')
})

test('[M19] an unsigned message is told apart from a bad one', () => {
  equal(verifyRequest(query, held(key()), now).status, 'unsigned')
  equal(verifyRequest(answer, held(key()), now).status, 'unsigned')
  equal(verifyResponse(answer, key(), new Uint8Array(32), now).status, 'unsigned')
})

test('[M20] a key we do not hold, or hold for another algorithm, is BADKEY, told without a signature', () => {
  const request = signRequest(query, key(), now)
  for (const keys of [[], [key('hmac-sha512')]]) {
    const failure = failed(verifyRequest(request.bytes, held(...keys), now), RCODE.BADKEY)
    const reply = signFailure(answer, failure, now)
    deepEqual([decodeMessage(reply).tsig?.error, decodeMessage(reply).tsig?.mac.length], [RCODE.BADKEY, 0])
    failed(verifyResponse(reply, key(), request.mac, now), RCODE.BADKEY, 'peer')
  }
})

test('[M20] a MAC under another secret is BADSIG, told without a signature', () => {
  const request = signRequest(query, key(), now)
  const failure = failed(
    verifyRequest(request.bytes, held(key('hmac-sha256', { secret: Buffer.from('other') })), now),
    BADSIG,
  )
  const reply = signFailure(answer, failure, now)
  equal(decodeMessage(reply).tsig?.mac.length, 0)
  failed(verifyResponse(reply, key(), request.mac, now), BADSIG, 'peer')
})

test('[M20] a time off by more than the fudge is BADTIME, told with a signature, the time of the request and ours', () => {
  const k = key()
  const request = signRequest(query, k, now)
  equal(verifyRequest(request.bytes, held(k), later(300)).status, 'good')
  equal(verifyRequest(request.bytes, held(k), later(-300)).status, 'good')
  failed(verifyRequest(request.bytes, held(k), later(-301)), RCODE.BADTIME)
  const failure = failed(verifyRequest(request.bytes, held(k), later(301)), RCODE.BADTIME)
  const reply = signFailure(answer, failure, later(301))
  const objection = failed(verifyResponse(reply, k, request.mac, now), RCODE.BADTIME, 'peer')
  equal(objection.tsig.time, now.getTime() / 1000)
  equal(Buffer.from(objection.tsig.other).readUIntBE(0, 6), now.getTime() / 1000 + 301)
})

test('[M20] a MAC cut shorter than we ask for is BADTRUNC, told with a signature', () => {
  const cut = key('hmac-sha256', { macLength: 16 })
  const request = signRequest(query, cut, now)
  equal(request.mac.length, 16)
  equal(verifyRequest(request.bytes, held(cut), now).status, 'good')
  const failure = failed(verifyRequest(request.bytes, held(key()), now), RCODE.BADTRUNC)
  const reply = signFailure(answer, failure, later(10))
  failed(verifyResponse(reply, cut, request.mac, now), RCODE.BADTRUNC, 'peer')
  equal(verifyRequest(signRequest(query, key(), now).bytes, held(cut), now).status, 'good')
})

test('[M20] a MAC longer than the algorithm makes, or shorter than half of it, is malformed', () => {
  const k = key()
  const { tsig } = splitTsig(signRequest(query, k, now).bytes)!
  for (const length of [0, 15, 33, 64]) {
    const bytes = encodeMessage({ ...corpus.query!, tsig: { ...tsig, mac: new Uint8Array(length) } })
    throws(() => verifyRequest(bytes, held(k), now), WireError)
  }
  const md5 = key('hmac-md5', { macLength: 9 })
  throws(() => verifyRequest(signRequest(query, md5, now).bytes, held(md5), now), WireError)
})

const stream = (count: number) => Array.from({ length: count }, (_, i) => encodeMessage({ ...corpus.answer!, id: i }))

test('[M21] a stream signed in every message verifies, in its order only', () => {
  const k = key()
  const { mac } = signRequest(query, k, now)
  const signer = new StreamSigner(k, mac)
  const signed = stream(5).map((message, i) => signer.sign(message, later(i)).bytes)
  const verifier = new StreamVerifier(k, mac)
  for (const message of signed) {
    equal(verifier.next(message, now).status, 'good')
    equal(verifier.complete, true)
  }
  const other = new StreamVerifier(k, mac)
  equal(other.next(signed[0]!, now).status, 'good')
  failed(other.next(signed[2]!, now), BADSIG)
})

test('[M21] up to 99 messages may stand unsigned between signed ones, and all of them are covered', () => {
  const k = key('hmac-sha512')
  const { mac } = signRequest(query, k, now)
  const send = () => {
    const signer = new StreamSigner(k, mac)
    return stream(201).map((message, i) => {
      if (i % 100 === 0) return signer.sign(message, now).bytes
      signer.pass(message)
      return message
    })
  }
  const verifier = new StreamVerifier(k, mac)
  deepEqual(
    send().map((message) => verifier.next(message, now).status),
    Array.from({ length: 201 }, (_, i) => (i % 100 === 0 ? 'good' : 'unsigned')),
  )
  equal(verifier.complete, true)
  const changed = send()
  changed[50]![2]! ^= 1
  const strict = new StreamVerifier(k, mac)
  const results = changed.slice(0, 101).map((message) => strict.next(message, now))
  failed(results[100]!, BADSIG)
})

test('[M21] a stream must begin signed, not wait for the 101st, and end signed', () => {
  const k = key()
  const { mac } = signRequest(query, k, now)
  equal(new StreamVerifier(k, mac).next(answer, now).status, 'missing')
  const signer = new StreamSigner(k, mac)
  throws(() => signer.pass(answer), /first message/)
  const verifier = new StreamVerifier(k, mac)
  verifier.next(signer.sign(answer, now).bytes, now)
  for (let i = 0; i < 99; i++) {
    signer.pass(answer)
    equal(verifier.next(answer, now).status, 'unsigned')
    equal(verifier.complete, false)
  }
  throws(() => signer.pass(answer), /at most 99/)
  equal(verifier.next(answer, now).status, 'missing')
})

test('[M21] an objection of the peer can stand in place of a stream', () => {
  const k = key()
  const request = signRequest(query, k, now)
  const failure = failed(verifyRequest(request.bytes, held(), now), RCODE.BADKEY)
  failed(new StreamVerifier(k, request.mac).next(signFailure(answer, failure, now), now), RCODE.BADKEY, 'peer')
})
