import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { overTcp, TcpClient } from '../../test/support/dns-transports.ts'
import { query, serverOf } from '../../test/support/nameserver.ts'
import { decodeMessage, type Message } from '../dns/message.ts'
import { frame } from '../dns/stream.ts'
import { reply } from './reply.ts'
import type { ServerState } from './server-state.ts'

const www = (id: number) => query('www.example.', 'A', { id })
const read = async (client: TcpClient): Promise<Message> => {
  const bytes = await client.next()
  if (bytes === undefined) throw new Error('no reply came')
  return decodeMessage(bytes)
}

async function served(
  given: Parameters<typeof overTcp>[1],
  run: (server: Awaited<ReturnType<typeof overTcp>>, open: () => Promise<TcpClient>) => Promise<void>,
  state: ServerState = serverOf(),
): Promise<void> {
  const server = await overTcp(state, given)
  const clients: TcpClient[] = []
  try {
    await run(server, async () => {
      const client = await TcpClient.open(server.address)
      clients.push(client)
      return client
    })
  } finally {
    for (const { socket } of clients) socket.destroy()
    await server.close()
  }
}

/** A transfer of endless large messages; `sent` counts those asked for. */
function endless() {
  const state = { sent: 0, ended: false }
  const server: ServerState = serverOf({
    transfer: (request) =>
      (async function* () {
        try {
          const bytes = reply(request, { rcode: 0, answer: Array.from({ length: 60 }, () => chunk) }, server)
          for (;;) {
            state.sent++
            yield bytes
          }
        } finally {
          state.ended = true
        }
      })(),
  })
  return { state, server }
}
const chunk = { name: 'x.example.', type: 65400, class: 1, ttl: 1, rdata: new Uint8Array(1000) }

test('[S50] requests cut anywhere or sent together are answered one by one', async () => {
  await served({}, async (_, open) => {
    const client = await open()
    const bytes = Buffer.concat([1, 2, 3].map((id) => frame(www(id))))
    client.socket.write(bytes)
    for (const id of [1, 2, 3]) equal((await read(client)).id, id)
    for (const octet of frame(www(4))) {
      client.socket.write(Uint8Array.of(octet))
      await sleep(1)
    }
    equal((await read(client)).id, 4)
  })
})

test('[S50] thousands of requests sent without waiting are all answered', async () => {
  await served({}, async (_, open) => {
    const client = await open()
    const count = 5000
    client.socket.write(Buffer.concat(Array.from({ length: count }, (_, id) => frame(www(id)))))
    for (let id = 0; id < count; id++) equal((await read(client)).id, id)
  })
})

test('[S51] a query is answered while a transfer on its connection goes on', async () => {
  await served({}, async (_, open) => {
    const client = await open()
    client.send(query('example.', 'AXFR', { id: 1 }))
    client.send(www(2))
    const ids: number[] = []
    for (let i = 0; i < 4; i++) ids.push((await read(client)).id)
    deepEqual(ids.toSorted(), [1, 1, 1, 2])
    equal(ids.at(-1), 1)
  })
})

test('[S52] a connection without requests is closed after the idle time, one with requests is not', async () => {
  await served({ idle: 2, stalled: 2 }, async (server, open) => {
    const [idle, busy] = [await open(), await open()]
    const started = Date.now()
    const closes = idle.closes(20_000)
    while (Date.now() - started < 3000) {
      busy.send(www(1))
      await read(busy)
      await sleep(200)
    }
    equal(await closes, true)
    equal(server.connections, 1)
  })
})

test('[S53] a request must be whole in time, however slowly it trickles in', async () => {
  await served({ idle: 60, stalled: 1 }, async (_, open) => {
    const client = await open()
    const closes = client.closes(20_000)
    const started = Date.now()
    const trickle = setInterval(() => client.socket.write(Uint8Array.of(0)), 150)
    client.socket.write(Uint8Array.of(1, 0))
    equal(await closes, true)
    clearInterval(trickle)
    ok(Date.now() - started < 10_000)
  })
})

/** Waits, for a bounded time, until a number above 0 stays as it is for a while; returns it. */
async function standsStill(count: () => number): Promise<number> {
  for (let i = 0; i < 50; i++) {
    const before = count()
    await sleep(200)
    if (before > 0 && count() === before) return before
  }
  throw new Error(`it goes on: ${count()}`)
}

test('[S53] a client that does not take its answers is closed, and holds little memory until then', async () => {
  const { state, server } = endless()
  await served(
    { idle: 60, stalled: 1 },
    async (_, open) => {
      const client = await open()
      client.socket.pause()
      client.send(query('example.', 'AXFR'))
      await standsStill(() => state.sent)
      for (let i = 0; i < 200 && !state.ended; i++) await sleep(100)
      equal(state.ended, true)
    },
    server,
  )
})

test('[S53] requests of a client that does not take answers are not read on', async () => {
  const state = serverOf()
  await served(
    {},
    async (_, open) => {
      const client = await open()
      client.socket.pause()
      const request = frame(query('text.example.', 'TXT'))
      const many = Buffer.concat(Array.from({ length: 2000 }, () => request))
      for (let i = 0; i < 20; i++) client.socket.write(many)
      const before = await standsStill(() => state.counters.slots.reduce((a, b) => a + b))
      ok(before < 2 * 20 * 2000, 'answers wait for the client')
      client.socket.resume()
      for (let i = 0; i < 200; i++) decodeMessage((await client.next())!)
    },
    state,
  )
})

test('[S54] a client has so many connections at most; more are closed at once', async () => {
  await served({ connectionsPerClient: 3 }, async (server, open) => {
    const clients = [await open(), await open(), await open()]
    equal(await (await open()).closes(1000), true)
    for (const client of clients) {
      client.send(www(1))
      equal((await read(client)).answer.length, 2)
    }
    clients[0]!.socket.destroy()
    for (let i = 0; i < 1000 && server.connections === 3; i++) await sleep(10)
    const next = await open()
    next.send(www(1))
    ok(await read(next))
  })
})

test('[S54] servers of a pool, which take many zones at a time, may have more', async () => {
  const isPoolServer = (address: string) => address === '127.0.0.1'
  await served(
    { connectionsPerClient: 1 },
    async (_server, open) => {
      for (const client of [await open(), await open(), await open()]) {
        client.send(www(1))
        equal((await read(client)).answer.length, 2)
      }
    },
    serverOf({ isPoolServer }),
  )
})

test('[S55] when there are as many connections as may be, the one longest idle makes room', async () => {
  await served({ connections: 3 }, async (server, open) => {
    const clients = [await open(), await open(), await open()]
    for (const i of [1, 0, 2]) {
      clients[i]!.send(www(i))
      await read(clients[i]!)
    }
    const late = await open()
    late.send(www(9))
    equal((await read(late)).id, 9)
    equal(await clients[1]!.closes(500), true)
    equal(server.connections, 3)
    clients[0]!.send(www(1))
    ok(await read(clients[0]!))
  })
})

test('[S56] a client that has said all gets its answers, transfers too, and then the end', async () => {
  await served({}, async (_, open) => {
    const client = await open()
    client.send(query('example.', 'AXFR', { id: 1 }))
    client.send(www(2))
    client.socket.end()
    for (let i = 0; i < 4; i++) await read(client)
    equal(await client.closes(1000), true)
  })
})

test('[S56] a client that goes away in the middle of a transfer ends it', async () => {
  const { state, server } = endless()
  await served(
    {},
    async (_, open) => {
      const client = await open()
      client.send(query('example.', 'AXFR'))
      await client.next()
      client.socket.resetAndDestroy()
      for (let i = 0; i < 1000 && !state.ended; i++) await sleep(20)
      equal(state.ended, true)
    },
    server,
  )
})

test('[S57] a transfer that fails midway closes the connection, so that it cannot look complete', async () => {
  const reported: unknown[] = []
  const server = serverOf({
    report: (error) => reported.push(error),
    transfer: (request) =>
      (async function* () {
        yield reply(request, { rcode: 0 }, server)
        throw new Error('lost')
      })(),
  })
  await served(
    {},
    async (_, open) => {
      const client = await open()
      client.send(query('example.', 'AXFR'))
      ok(await client.next())
      equal(await client.closes(1000), true)
      equal(String(reported[0]), 'Error: lost')
    },
    server,
  )
})
