import { deepEqual, equal, rejects } from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import { after, test } from 'node:test'
import { freePort } from '../../test/support/port.ts'
import { decodeMessage, encodeMessage, type Message } from '../dns/message.ts'
import { rdataFromText } from '../dns/rdata.ts'
import { FrameDecoder, frame } from '../dns/stream.ts'
import { signResponse, type TsigKey, verifyRequest } from '../dns/tsig.ts'
import { askSerial, takeTransfer } from './client.ts'

const zone = 'example.org.'
const patience = { answer: 300, silence: 300, transfer: 1000 }
const signal = new AbortController().signal
const options = { patience, signal }
const limits = { records: 100, octets: 100_000, messages: 100 }
const key: TsigKey = { name: 'k.', algorithm: 'hmac-sha256', secret: Buffer.from('a secret of some length') }

const soa = (serial: number) => ({
  name: zone,
  type: 6,
  class: 1,
  ttl: 60,
  rdata: rdataFromText(6, `ns. host. ${serial} 2 3 4 5`),
})
const reply = (request: Message, more: Partial<Message> = {}): Message => {
  const { tsig: _, ...rest } = request
  return { ...rest, flags: { ...request.flags, qr: true, aa: true }, authority: [], ...more }
}

const stops: (() => void)[] = []
after(() => {
  for (const stop of stops) stop()
})

type Answer = (request: Message, bytes: Uint8Array) => readonly Uint8Array[]

/** A server that answers over UDP and TCP as it is told. */
async function serve(over: { readonly udp: Answer; readonly tcp?: Answer }, host = '127.0.0.1') {
  const tcp: Server = createServer((socket) => {
    const frames = new FrameDecoder()
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      for (const bytes of frames.push(chunk))
        for (const one of over.tcp?.(decodeMessage(bytes), bytes) ?? []) socket.write(frame(one))
    })
  })
  const port = await freePort()
  await new Promise<void>((resolve) => tcp.listen(port, host, resolve))
  const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  udp.on('message', (bytes, from) => {
    for (const one of over.udp(decodeMessage(bytes), bytes)) udp.send(one, from.port, from.address)
  })
  await new Promise<void>((resolve) => udp.bind(port, host, resolve))
  stops.push(
    () => udp.close(),
    () => tcp.close(),
  )
  return { host, port }
}

test('[Y2] the serial is asked for over UDP, of IPv6 servers too, and over TCP where the answer is cut', async () => {
  const told: Answer = (request) => [encodeMessage(reply(request, { answer: [soa(7)] }))]
  equal(await askSerial(await serve({ udp: told }), zone, options), 7)
  equal(await askSerial(await serve({ udp: told }, '::1'), zone, options), 7)
  const cut: Answer = (request) => [encodeMessage(reply(request, { flags: { ...request.flags, qr: true, tc: true } }))]
  equal(await askSerial(await serve({ udp: cut, tcp: told }), zone, options), 7)
})

test('[Y2] what is no answer to our question is passed over, and a refusal is told', async () => {
  const noise: Answer = (request) => [
    Buffer.from('noise'),
    encodeMessage(reply(request, { id: request.id ^ 1, answer: [soa(1)] })),
    encodeMessage({ ...request, answer: [soa(2)] }),
    encodeMessage(reply(request, { question: [{ name: 'other.', type: 6, class: 1 }], answer: [soa(3)] })),
    encodeMessage(reply(request, { answer: [soa(4)] })),
  ]
  equal(await askSerial(await serve({ udp: noise }), zone, options), 4)
  const refusal: Answer = (request) => [encodeMessage(reply(request, { rcode: 5 }))]
  await rejects(askSerial(await serve({ udp: refusal }), zone, options), /answers REFUSED to the question for its SOA$/)
  const refused = await serve({ udp: refusal, tcp: refusal })
  for (const [have, asked] of [
    [undefined, 'AXFR'],
    [soa(5), 'IXFR'],
  ] as const)
    await rejects(
      takeTransfer(refused, zone, { ...options, have, limits }),
      new RegExp(`answers REFUSED to the transfer \\(${asked}\\)$`),
    )
  const nothing: Answer = (request) => [encodeMessage(reply(request))]
  await rejects(askSerial(await serve({ udp: nothing }), zone, options), /does not have the zone/)
  await rejects(askSerial(await serve({ udp: () => [] }), zone, options), /does not answer/)
})

test('[Y10] with a key, an answer that is not signed with it is refused', async () => {
  const signed =
    (by: TsigKey): Answer =>
    (request, bytes) => {
      const check = verifyRequest(bytes, () => key, new Date())
      if (check.status !== 'good') throw new Error('the request is not signed')
      return [signResponse(encodeMessage(reply(request, { answer: [soa(7)] })), by, check.mac, new Date()).bytes]
    }
  equal(await askSerial({ ...(await serve({ udp: signed(key) })), key }, zone, options), 7)
  const other = { ...key, secret: Buffer.from('another secret of a length') }
  await rejects(askSerial({ ...(await serve({ udp: signed(other) })), key }, zone, options), /signature .* BADSIG/)
  const plain: Answer = (request) => [encodeMessage(reply(request, { answer: [soa(7), soa(7)] }))]
  const master = { ...(await serve({ udp: plain, tcp: plain })), key }
  await rejects(askSerial(master, zone, options), /not signed/)
  await rejects(takeTransfer(master, zone, { ...options, have: undefined, limits }), /not signed/)
})

test('[Y3] a transfer that falls silent, is not to us, or goes on for too long ends', async () => {
  const begun: Answer = (request) => [encodeMessage(reply(request, { answer: [soa(7)] }))]
  const take = async (tcp: Answer, more: object = {}) =>
    takeTransfer(await serve({ udp: begun, tcp }), zone, { ...options, have: undefined, limits, ...more })
  await rejects(take(begun), /nothing came for 0.3 s/)
  await rejects(
    take((request) => [encodeMessage(reply(request, { id: request.id ^ 1, answer: [soa(7)] }))]),
    /has id/,
  )
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  await rejects(take(begun, { signal: stop.signal }), /stopped/)
  deepEqual(await take((request) => [encodeMessage(reply(request, { answer: [soa(5)] }))], { have: soa(5) }), {
    kind: 'current',
    serial: 5,
  })
  await rejects(askSerial({ host: '127.0.0.1', port: 1 }, zone, options), /cannot be reached|does not answer/)
})
