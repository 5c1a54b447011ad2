import { deepEqual, equal, ok } from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { after, describe, test } from 'node:test'
import {
  askUdp,
  hasFfi,
  overDgram,
  overFfi,
  overTcp,
  type Served,
  startFfi,
} from '../../test/support/dns-transports.ts'
import { corpus } from '../../test/support/message-corpus.ts'
import { from, query, serverOf } from '../../test/support/nameserver.ts'
import { decodeMessage, encodeMessage } from '../dns/message.ts'
import { handle } from './handle.ts'

const transports: [string, 'udp' | 'tcp', () => Promise<Served>, string | false][] = [
  ['dgram', 'udp', () => overDgram(), false],
  ['dgram over IPv6', 'udp', () => overDgram(serverOf(), '::1'), false],
  ['batches', 'udp', () => overFfi(), hasFfi ? false : 'no FFI here'],
  ['batches over IPv6', 'udp', () => overFfi('::1'), hasFfi ? false : 'no FFI here'],
  ['TCP', 'tcp', () => overTcp(), false],
]

const requests: Record<string, Uint8Array> = {
  answer: query('www.example.', 'A'),
  'answer with EDNS': query('www.example.', 'AAAA', { edns: { dnssecOk: true } }),
  denial: query('nope.example.', 'A'),
  referral: query('www.sub.example.', 'A'),
  chain: query('across.example.', 'A', { edns: {} }),
  refusal: query('www.elsewhere.', 'A', { edns: {} }),
  'large answer': query('large.example.', 'A'),
  'text of 2 KB': query('text.example.', 'TXT', { edns: { udpSize: 1232 } }),
  'other version': query('www.example.', 'A', { edns: { version: 7 } }),
  'other opcode': query('www.example.', 'A', { opcode: 9 }),
  notify: query('example.', 'SOA', { opcode: 4 }),
  garbage: Buffer.from('000000000000000000000000ffffffff', 'hex'),
  'long request': Buffer.concat([query('www.example.', 'A'), Buffer.alloc(6000)]),
}

for (const [name, transport, start, skip] of transports) {
  describe(name, { skip }, async () => {
    let served: Served
    test('[S60] starts', async () => {
      served = await start()
    })
    after(() => served?.close())

    test('[S60] gives the reply of the handler, whatever is asked', async () => {
      for (const [what, bytes] of Object.entries(requests)) {
        const due = handle(bytes, from(transport), serverOf()) as Uint8Array
        deepEqual(await served.ask(bytes), new Uint8Array(due), what)
      }
    })

    test('[S60] answers every kind of message but replies, and goes on', async () => {
      for (const message of Object.values(corpus)) {
        const bytes = encodeMessage({ ...message, flags: { ...message.flags, qr: false } })
        // Transfers are streams, which the first message of shows here.
        ok(await served.ask(bytes), JSON.stringify(message.question))
      }
      equal(
        await served.ask(encodeMessage({ ...corpus.query!, flags: { ...corpus.query!.flags, qr: true } }), 150),
        undefined,
      )
    })

    test('[S60] answers many at a time', async () => {
      const names = Array.from({ length: 300 }, (_, i) => `n${i}.wild.example.`)
      const replies = await Promise.all(names.map((asked) => served.ask(query(asked, 'TXT'), 5000)))
      deepEqual(
        replies.map((reply) => reply && decodeMessage(reply).answer[0]?.name),
        names,
      )
    })
  })
}

describe('batches', { skip: hasFfi ? false : 'no FFI here' }, () => {
  test('[S61] on a wildcard address, replies come from the address that was asked', async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)
    const { addresses, close } = await startFfi([
      { host: '0.0.0.0', port: 0 },
      { host: '::', port: 0 },
    ])
    try {
      // The client is connected, so it takes replies from nobody else. All of 127/8 is local.
      for (const host of ['127.0.0.1', '127.1.2.3', ...(own ? [own.address] : [])])
        ok(await askUdp({ host, port: addresses[0]!.port }, query('www.example.', 'A')), host)
      ok(await askUdp({ host: '::1', port: addresses[1]!.port }, query('www.example.', 'A')))
    } finally {
      await close()
    }
  })

  test('[S61] several addresses are served by one thread', async () => {
    const hosts = ['127.0.0.1', '127.0.0.2', '::1']
    const { addresses, close } = await startFfi(hosts.map((host) => ({ host, port: 0 })))
    try {
      const replies = await Promise.all(addresses.map((address) => askUdp(address, query('www.example.', 'A'))))
      for (const reply of replies)
        deepEqual(reply, new Uint8Array(handle(query('www.example.', 'A'), from(), serverOf()) as Uint8Array))
    } finally {
      await close()
    }
  })

  test('[S62] a thread stops at once', async () => {
    const { close } = await startFfi([{ host: '127.0.0.1', port: 0 }])
    const before = performance.now()
    await close()
    const took = performance.now() - before
    ok(took < 2000, `${took} ms`)
  })

  test('[S62] an address that is not ours is refused with the reason', async () => {
    await startFfi([{ host: '192.0.2.1', port: 0 }]).then(
      () => ok(false),
      (error) => ok(/bind for UDP 192\.0\.2\.1 port 0: .* \(EADDRNOTAVAIL\)/.test(String(error)), String(error)),
    )
  })

  test('[S40] replies that a rate limit holds back are not sent', async () => {
    const rates = { perSecond: 5, allPerSecond: 0, window: 3, slip: 0, ipv4Prefix: 24, ipv6Prefix: 56, exempt: [] }
    const served = await overFfi('127.0.0.1', rates)
    try {
      const replies = await Promise.all(Array.from({ length: 30 }, () => served.ask(query('www.example.', 'A'), 300)))
      const came = replies.filter((reply) => reply !== undefined).length
      ok(came >= 5 && came < 15, `${came} came`)
    } finally {
      await served.close()
    }
  })
})
