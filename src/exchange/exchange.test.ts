import { deepEqual, equal, rejects } from 'node:assert/strict'
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { freePort } from '../../test/support/port.ts'
import { decodeMessage, encodeMessage, type Message } from '../dns/message.ts'
import { rdataFromText } from '../dns/rdata.ts'
import { FrameDecoder, frame } from '../dns/stream.ts'
import { signResponse, type TsigKey, verifyRequest } from '../dns/tsig.ts'
import { Exchange, NoAnswer } from './exchange.ts'

const zone = 'example.org.'
const key: TsigKey = { name: 'k.', algorithm: 'hmac-sha256', secret: Buffer.from('a secret of some length') }
const other: TsigKey = { ...key, secret: Buffer.from('another secret of some length') }

const stops: (() => void)[] = []
after(() => {
  for (const stop of stops) stop()
})

/** A server over UDP that sends these messages for each question. */
async function serve(answers: (request: Message, bytes: Uint8Array) => readonly Uint8Array[], at = 0) {
  const socket: Socket = createSocket('udp4')
  socket.on('message', (bytes: Buffer, { port }: RemoteInfo) => {
    for (const answer of answers(decodeMessage(bytes), bytes)) socket.send(answer, port, '127.0.0.1')
  })
  socket.bind(at, '127.0.0.1')
  await once(socket, 'listening')
  stops.push(() => socket.close())
  return { host: '127.0.0.1', port: socket.address().port, key: undefined as TsigKey | undefined }
}

function exchangeWith(server: ConstructorParameters<typeof Exchange>[0]): Exchange {
  const exchange = new Exchange(server)
  stops.push(() => exchange.close())
  return exchange
}

const soa = (name: string, serial: number) => ({
  name,
  type: 6,
  class: 1,
  ttl: 60,
  rdata: rdataFromText(6, `ns. host. ${serial} 2 3 4 5`),
})
const reply = ({ tsig: _, ...request }: Message, serial: number, more: Partial<Message> = {}): Uint8Array =>
  encodeMessage({
    ...request,
    flags: { ...request.flags, qr: true, aa: true },
    answer: [soa(request.question[0]!.name, serial)],
    ...more,
  })

test('whatever is no answer to the question is passed over, and the right one taken', async () => {
  const server = await serve((request) => {
    const [question] = request.question
    return [
      Buffer.from([]),
      Buffer.from([1, 2, 3]),
      Buffer.concat([encodeMessage(request).subarray(0, 12), Buffer.alloc(40, 255)]),
      reply({ ...request, id: request.id ^ 1 }, 1),
      reply(request, 2, { question: [{ ...question!, name: 'other.org.' }] }),
      reply(request, 3, { question: [{ ...question!, type: 1 }] }),
      reply(request, 4, { question: [] }),
      reply(request, 5, { opcode: 4 }),
      encodeMessage({ ...request, answer: [soa(zone, 6)] }),
      reply(request, 7),
      reply(request, 8),
    ]
  })
  deepEqual(await exchangeWith(server).serial(zone, 2000), { serial: 7 })
})

test('a server without the zone, or without authority for it, says so in its own ways', async () => {
  const cases: [Partial<Message>, string][] = [
    [{ rcode: 5, answer: [] }, 'it answers REFUSED'],
    [{ rcode: 5, answer: [], question: [] }, 'it answers REFUSED'],
    [{ rcode: 2, answer: [] }, 'it answers SERVFAIL'],
    [{ rcode: 3, answer: [] }, 'it does not have the zone'],
    [{ answer: [] }, 'it does not have the zone'],
    [{ answer: [soa('sub.example.org.', 1)] }, 'it does not have the zone'],
    [
      { flags: { qr: true, aa: false, tc: false, rd: false, ra: true, ad: false, cd: false } },
      'it answers without authority',
    ],
  ]
  for (const [more, absent] of cases) {
    const server = await serve((request) => [reply(request, 1, more)])
    deepEqual(await exchangeWith(server).serial(zone, 2000), { absent })
  }
})

test('many questions at a time each get their own answer, in whatever order they come', async () => {
  const late: Uint8Array[][] = []
  const server = await serve((request) => {
    const answer = reply(request, Number(request.question[0]!.name.split('.')[0]))
    late.push([answer])
    // The answers come in the reverse order, some at a time.
    return late.length % 50 === 0 ? late.splice(0).flat().toReversed() : []
  })
  const exchange = exchangeWith(server)
  const serials = Array.from({ length: 100 }, (_, i) => i + 1)
  const shown = await Promise.all(serials.map((serial) => exchange.serial(`${serial}.example.`, 5000)))
  deepEqual(
    shown,
    serials.map((serial) => ({ serial })),
  )
})

test('an answer that does not fit is asked for over TCP', async () => {
  const tcp = createServer((socket) => {
    const frames = new FrameDecoder()
    socket.on('data', (chunk: Buffer) => {
      for (const bytes of frames.push(chunk)) socket.write(frame(reply(decodeMessage(bytes), 42)))
    })
    socket.on('error', () => {})
  })
  stops.push(() => tcp.close())
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const truncated = (request: Message) => [
    reply(request, 1, { answer: [], flags: { ...request.flags, qr: true, aa: true, tc: true } }),
  ]
  const exchange = exchangeWith(await serve(truncated, port))
  deepEqual(await exchange.serial(zone, 2000), { serial: 42 })
  deepEqual(await exchange.serialOverTcp(zone, 2000), { serial: 42 })
})

test('only an answer that is signed with the key is believed', async () => {
  const signed = (by: TsigKey) => (request: Message, bytes: Uint8Array) => {
    const check = verifyRequest(bytes, () => by, new Date())
    const mac = 'mac' in check ? check.mac : new Uint8Array(32)
    return [signResponse(reply(request, 1), by, mac, new Date()).bytes]
  }
  const good = await serve(signed(key))
  deepEqual(await exchangeWith({ ...good, key }).serial(zone, 2000), { serial: 1 })
  const wrong = await serve(signed(other))
  await rejects(exchangeWith({ ...wrong, key }).serial(zone, 2000), /its answer cannot be believed: BADSIG/)
  const plain = await serve((request) => [reply(request, 1)])
  await rejects(exchangeWith({ ...plain, key }).serial(zone, 2000), /it is not signed/)
  // Knot does not sign what it answers for zones that it does not have.
  const refusing = await serve((request) => [reply(request, 1, { rcode: 5, answer: [] })])
  deepEqual(await exchangeWith({ ...refusing, key }).serial(zone, 2000), { absent: 'it answers REFUSED' })
  const lying = await serve((request) => [reply(request, 1, { rcode: 5 })])
  await rejects(exchangeWith({ ...lying, key }).serial(zone, 2000), /it is not signed/)
})

test('a NOTIFY resolves with what is answered to it', async () => {
  const server = await serve((request) => [reply(request, 1, { rcode: request.flags.aa ? 9 : 1, answer: [] })])
  equal(await exchangeWith(server).notify(zone, soa(zone, 5), 2000), 9)
})

test('silence, a port where nothing listens, and a name that is none are told apart', async () => {
  const mute = await serve(() => [])
  await rejects(exchangeWith(mute).serial(zone, 50), new NoAnswer('it does not answer'))
  const port = await freePort()
  const closed = exchangeWith({ host: '127.0.0.1', port, key: undefined })
  const many = await Promise.allSettled(Array.from({ length: 20 }, () => closed.serial(zone, 5000)))
  for (const one of many) equal(one.status === 'rejected' && one.reason.message, 'nothing listens there')
  await rejects(closed.serialOverTcp(zone, 5000), new NoAnswer('nothing listens there'), 'in the same words over TCP')
  // It is of use again when something does.
  const again = await serve((request) => [reply(request, 3)])
  equal(((await exchangeWith(again).serial(zone, 2000)) as { serial: number }).serial, 3)
  await rejects(exchangeWith({ host: 'no-such-host.invalid', port, key: undefined }).serial(zone, 2000), NoAnswer)
})

test('what is closed gives up what it awaits, also while it is being opened, and asks nothing more', async () => {
  const mute = await serve(() => [])
  const exchange = exchangeWith(mute)
  const opening = exchange.serial(zone, 5000)
  exchange.close()
  await rejects(opening, new NoAnswer('stopped'))
  await rejects(exchange.notify(zone, undefined, 5000), new NoAnswer('stopped'))
  const waiting = exchangeWith(mute)
  const asked = waiting.serial(zone, 5000)
  await new Promise((resolve) => setTimeout(resolve, 50))
  waiting.close()
  waiting.close()
  await rejects(asked, new NoAnswer('stopped'))
})
