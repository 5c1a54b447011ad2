import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { dnspython } from '../../test/support/dnspython.ts'
import { corpus } from '../../test/support/message-corpus.ts'
import { encodeMessage } from './message.ts'
import {
  signRequest,
  signResponse,
  type TsigAlgorithm,
  type TsigKey,
  tsigAlgorithms,
  verifyRequest,
  verifyResponse,
} from './tsig.ts'
import { StreamSigner, StreamVerifier } from './tsig-stream.ts'

type Verified = { results: string[]; fault?: string }
type SignedByPeer = { wires: string[]; macs: string[]; fault?: string }

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const unhex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const algorithms = Object.keys(tsigAlgorithms) as TsigAlgorithm[]
const keyOf = (algorithm: TsigAlgorithm): TsigKey => ({
  name: 'transfer.Key.example.',
  algorithm,
  secret: Buffer.from('shared by both'),
})
const job = (key: TsigKey) => ({
  key: key.name,
  secret: hex(key.secret),
  algorithm: tsigAlgorithms[key.algorithm].name,
})
const query = encodeMessage(corpus.query!)
const answer = encodeMessage(corpus.answer!)
const stream = (count: number) =>
  Array.from({ length: count }, (_, i) => encodeMessage({ ...corpus.answer!, id: 7, rcode: i % 3 }))

test('[M19] dnspython verifies requests and answers that we sign, under every algorithm', () => {
  const now = new Date()
  const results = dnspython<Verified>(
    algorithms.flatMap((algorithm) => {
      const key = keyOf(algorithm)
      const request = signRequest(query, key, now)
      const response = signResponse(answer, key, request.mac, now)
      return [
        { do: 'verify', ...job(key), wires: [hex(request.bytes)], request_mac: '' },
        { do: 'verify', ...job(key), wires: [hex(response.bytes)], request_mac: hex(request.mac) },
        { do: 'verify', ...job(key), wires: [hex(response.bytes)], request_mac: '00' },
      ]
    }),
  )
  deepEqual(
    results.map((result) => result.results),
    algorithms.flatMap(() => [['good'], ['good'], ['BadSignature']]),
  )
})

test('[M19] we verify requests and answers that dnspython signs, under every algorithm', () => {
  const now = new Date()
  for (const algorithm of algorithms) {
    const key = keyOf(algorithm)
    const [request] = dnspython<SignedByPeer>([{ do: 'sign', ...job(key), wires: [hex(query)], request_mac: '' }])
    const check = verifyRequest(unhex(request!.wires[0]!), () => key, now)
    equal(check.status, 'good', algorithm)
    const mac = request!.macs[0]!
    const [response] = dnspython<SignedByPeer>([{ do: 'sign', ...job(key), wires: [hex(answer)], request_mac: mac }])
    equal(verifyResponse(unhex(response!.wires[0]!), key, unhex(mac), now).status, 'good', algorithm)
  }
})

for (const every of [1, 3, 100]) {
  test(`[M21] streams signed in every ${every}. message verify both ways`, () => {
    const now = new Date()
    const key = keyOf('hmac-sha256')
    const { mac } = signRequest(query, key, now)
    const messages = stream(201)
    const expected = messages.map((_, i) => (i % every === 0 ? 'good' : 'unsigned'))
    const signer = new StreamSigner(key, mac)
    const ours = messages.map((message, i) => {
      if (i % every === 0) return signer.sign(message, now).bytes
      signer.pass(message)
      return message
    })
    const [verified, signed] = dnspython<Verified & SignedByPeer>([
      { do: 'verify', ...job(key), wires: ours.map(hex), request_mac: hex(mac) },
      { do: 'sign', ...job(key), wires: messages.map(hex), request_mac: hex(mac), every },
    ])
    deepEqual(verified!.results, expected)
    equal(signed!.fault, undefined)
    const verifier = new StreamVerifier(key, mac)
    deepEqual(
      signed!.wires.map((wire) => verifier.next(unhex(wire), now).status),
      expected,
    )
    equal(verifier.complete, 200 % every === 0)
  })
}
