import { deepEqual, equal, rejects } from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import pino from 'pino'
import { askUdp, hasFfi, TcpClient, tcpLimits } from '../../test/support/dns-transports.ts'
import { query, serverOf } from '../../test/support/nameserver.ts'
import { freePort } from '../../test/support/port.ts'
import { ArenaReader } from './arena/reader.ts'
import { servedFrom } from './arena/served.ts'
import { ArenaWriter } from './arena/writer.ts'
import { listenAll } from './listen.ts'

const log = pino({ level: 'silent' })
const modes = hasFfi ? (['ffi', 'dgram'] as const) : (['dgram'] as const)

function shared() {
  const writer = new ArenaWriter()
  const zones = servedFrom(new ArenaReader(writer.handles))
  return { server: serverOf({ zones }), arena: () => writer.handles, keys: [], log }
}

for (const udp of modes) {
  test(`[S62] UDP and TCP share a port, on every address that was given (${udp})`, async () => {
    const listen = [
      { host: '127.0.0.1', port: 0 },
      { host: '127.0.0.2', port: 0 },
    ]
    const listening = await listenAll({ listen, udp, threads: 1, tcp: tcpLimits }, shared())
    try {
      deepEqual(
        listening.addresses.map(({ host }) => host),
        ['127.0.0.1', '127.0.0.2'],
      )
      for (const address of listening.addresses) {
        equal((await askUdp(address, query('nowhere.', 'A')))?.at(3), 5)
        const tcp = await TcpClient.open(address)
        tcp.send(query('nowhere.', 'A'))
        equal((await tcp.next())?.at(3), 5)
        tcp.socket.destroy()
      }
    } finally {
      await listening.close()
    }
  })

  test(`[S62] a port that is in use for UDP alone is named, and nothing is left behind (${udp})`, async () => {
    const taken = createSocket('udp4')
    taken.bind(await freePort(), '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address()
    const free = await freePort()
    const listen = [
      { host: '127.0.0.1', port: free },
      { host: '127.0.0.1', port },
    ]
    const options = { listen, udp, threads: 1, tcp: tcpLimits }
    await rejects(listenAll(options, shared()), { code: 'EADDRINUSE', listen: { host: '127.0.0.1', port } })
    taken.close()
    await once(taken, 'close')
    await (await listenAll(options, shared())).close()
  })
}
