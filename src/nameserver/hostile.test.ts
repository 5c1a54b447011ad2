import { deepEqual, equal, ok } from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasFfi, overDgram, overFfi, overTcp, type Served, TcpClient } from '../../test/support/dns-transports.ts'
import { corpus } from '../../test/support/message-corpus.ts'
import { from, query, serverOf, testKey } from '../../test/support/nameserver.ts'
import { decodeMessage, encodeMessage } from '../dns/message.ts'
import { frame } from '../dns/stream.ts'
import { signRequest } from '../dns/tsig.ts'
import { handle } from './handle.ts'
import { RateLimiter } from './rate-limit.ts'

const requests = [
  ...Object.values(corpus).map((message) => encodeMessage({ ...message, flags: { ...message.flags, qr: false } })),
  query('www.example.', 'A', { edns: { options: [{ option: 'cookie', client: new Uint8Array(8) }] } }),
  query('www.cut.example.', 'A', { edns: { dnssecOk: true } }),
  query('a.wild.example.', 'TXT'),
  signRequest(query('www.example.', 'A'), testKey, from().now).bytes,
]
const www = query('www.example.', 'A')
const proper = handle(www, from(), serverOf()) as Uint8Array

/** Every reply due to bytes: to all that have a header and are no reply, one that can be read, with the same id, in time. */
function check(bytes: Uint8Array, server = serverOf(), transport: 'udp' | 'tcp' = 'udp'): void {
  const handled = handle(bytes, from(transport), server)
  const due = bytes.length >= 12 && (bytes[2]! & 0x80) === 0
  if (!due) {
    equal(handled, undefined)
    return
  }
  if (transport === 'tcp' && !(handled instanceof Uint8Array)) return
  ok(handled instanceof Uint8Array, `a reply is due to ${Buffer.from(bytes).toString('hex')}`)
  const reply = decodeMessage(handled)
  ok(reply.flags.qr && reply.id === ((bytes[0]! << 8) | bytes[1]!))
  ok(transport === 'tcp' || handled.length <= 1232 || reply.tsig !== undefined)
}

// A generator of its own, so that a failure can be repeated.
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

test('[S63] every truncation of a message gets a proper reply', () => {
  for (const bytes of requests) for (let length = 0; length <= bytes.length; length++) check(bytes.subarray(0, length))
})

test('[S63] every single octet changed in each of several ways gets a proper reply', () => {
  for (const bytes of requests)
    for (let at = 0; at < bytes.length; at++)
      for (const flip of [0x01, 0x80, 0xff, 0x3f, 0xc0]) {
        const changed = bytes.slice()
        changed[at]! ^= flip
        check(changed)
        check(changed, undefined, 'tcp')
      }
})

test('[S63] random octets get proper replies, with limits and without', () => {
  const next = random(7)
  const limited = serverOf({
    limiter: new RateLimiter({
      perSecond: 1e6,
      allPerSecond: 0,
      window: 1,
      slip: 2,
      ipv4Prefix: 24,
      ipv6Prefix: 56,
      exempt: [],
    }),
  })
  for (let i = 0; i < 20_000; i++) {
    const bytes = Uint8Array.from({ length: Math.floor(next() * 80) }, () => next() * 256)
    if (i % 2 && bytes.length > 12) bytes.set([0, 0, 0, 1, 0, 0, 0, 0, 0, Math.floor(next() * 3)], 2)
    check(bytes, i % 3 ? serverOf() : limited)
  }
})

test('[S63] pointers that loop or lead forward, and huge counts, cost nothing', () => {
  const header = (...counts: number[]) => [0, 1, 0, 0, ...counts.flatMap((count) => [count >> 8, count & 255])]
  const loops = [
    [...header(1, 0, 0, 0), 0xc0, 12, 0, 1, 0, 1],
    [...header(1, 0, 0, 0), 0xc0, 14, 0xc0, 12, 0, 1, 0, 1],
    [...header(1, 0, 0, 0), 1, 97, 0xc0, 12, 0, 1, 0, 1],
    [...header(1, 0, 0, 0), 0xc0, 0xff, 0, 1, 0, 1],
    [...header(0xffff, 0xffff, 0xffff, 0xffff), 0, 0, 1, 0, 1],
    [...header(1, 0xffff, 0, 0), 0, 0, 1, 0, 1],
  ]
  const started = performance.now()
  for (let i = 0; i < 1000; i++) for (const bytes of loops) check(Uint8Array.from(bytes))
  // A message of 64 KiB of records that each point at a long chain.
  const labels = Array.from({ length: 100 }, () => [1, 97]).flat()
  const body = [...header(1, 0, 0, 5000), ...labels, 0, 0, 1, 0, 1]
  for (let i = 0; i < 5000; i++) body.push(0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0)
  for (let i = 0; i < 20; i++) check(Uint8Array.from(body), undefined, 'tcp')
  ok(performance.now() - started < 5000, `${performance.now() - started} ms`)
})

const udp: [string, () => Promise<Served>, string | false][] = [
  ['dgram', () => overDgram(), false],
  ['batches', () => overFfi(), hasFfi ? false : 'no FFI here'],
]
for (const [name, start, skip] of udp) {
  test(`[S64] over ${name}, honest clients get answers while garbage comes in`, { skip }, async () => {
    const served = await start()
    const socket = createSocket('udp4')
    try {
      await new Promise<void>((resolve) => socket.connect(served.address.port, '127.0.0.1', resolve))
      const next = random(11)
      for (let round = 0; round < 50; round++) {
        for (let i = 0; i < 40; i++) {
          const bytes = requests[Math.floor(next() * requests.length)]!.slice()
          bytes[Math.floor(next() * bytes.length)]! ^= next() * 256
          socket.send(bytes)
          socket.send(Uint8Array.from({ length: Math.floor(next() * 1400) }, () => next() * 256))
        }
        deepEqual(await served.ask(www), new Uint8Array(proper))
      }
    } finally {
      socket.close()
      await served.close()
    }
  })
}

test('[S64] replies to ports that are closed by then disturb nobody', {
  skip: hasFfi ? false : 'no FFI here',
}, async () => {
  const served = await overFfi()
  try {
    for (let i = 0; i < 100; i++) {
      const socket = createSocket('udp4')
      await new Promise<void>((resolve) => socket.connect(served.address.port, '127.0.0.1', resolve))
      await new Promise((resolve) => socket.send(www, resolve))
      socket.close()
    }
    deepEqual(await served.ask(www), new Uint8Array(proper))
  } finally {
    await served.close()
  }
})

describe('TCP under attack', () => {
  test('[S64] thousands of idle, half-open, slow and silent connections do not keep honest clients from answers', async () => {
    // Both ends of each connection are in this process, which may have few descriptors.
    const many = 2000
    const server = await overTcp(serverOf(), {
      connections: 1500,
      connectionsPerClient: 1_000_000,
      idle: 60,
      stalled: 30,
    })
    const sockets: Socket[] = []
    const before = process.memoryUsage().rss
    try {
      for (let i = 0; i < many; i++) {
        const socket = connect(server.address.port, '127.0.0.1')
        socket.on('error', () => {})
        sockets.push(socket)
        if (i % 4 === 1) socket.write(Uint8Array.of(0))
        if (i % 4 === 2) socket.write(Uint8Array.of(0xff, 0xff, 1, 2, 3))
        if (i % 4 === 3) socket.end()
        if (i % 100 === 99) {
          await sleep(5)
          deepEqual(await server.ask(www), new Uint8Array(proper), `after ${i} connections`)
        }
      }
      ok(server.connections <= 1500)
      const started = performance.now()
      for (let i = 0; i < 50; i++) deepEqual(await server.ask(www), new Uint8Array(proper))
      ok(performance.now() - started < 10_000)
      const grown = (process.memoryUsage().rss - before) / 1e6
      ok(grown < 200, `${grown} MB for both ends`)
    } finally {
      for (const socket of sockets) socket.destroy()
      await server.close()
    }
  })

  test('[S64] frames of garbage are answered or ignored, and the connection goes on', async () => {
    const server = await overTcp()
    const client = await TcpClient.open(server.address)
    try {
      const next = random(5)
      for (let i = 0; i < 300; i++) {
        const bytes = Uint8Array.from({ length: Math.floor(next() * 60) }, () => next() * 256)
        client.socket.write(frame(bytes))
      }
      client.send(query('www.example.', 'A', { id: 0xabcd }))
      for (;;) {
        const reply = await client.next()
        ok(reply, 'the last is answered')
        if (reply[0] === 0xab && reply[1] === 0xcd && decodeMessage(reply).answer.length === 2) break
      }
    } finally {
      client.socket.destroy()
      await server.close()
    }
  })
})
