import { deepEqual, equal, rejects } from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { promises } from 'node:dns'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { before, mock, test } from 'node:test'
import { freePort } from '../../test/support/port.ts'
import { addressesOf } from './addresses.ts'
import { Exchange } from './exchange.ts'

type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>

const several = [{ address: '127.0.0.2' }, { address: '127.0.0.3' }, { address: '127.0.0.1' }]
const look = mock.fn<Lookup>((host) => (host === 'hangs.test' ? new Promise(() => {}) : Promise.resolve(several)))

before(() => {
  mock.method(promises, 'lookup', look)
  syncBuiltinESMExports()
})

test('[W94] a server whose name has several addresses is asked at the next one where it does not answer', async (t) => {
  const port = await freePort()
  const silent = createSocket('udp4').bind(port, '127.0.0.3')
  await once(silent, 'listening')
  const server = createSocket('udp4').bind(port, '127.0.0.1')
  const asked: number[] = []
  server.on('message', (bytes, from) => {
    asked.push(from.port)
    server.send(Buffer.concat([bytes.subarray(0, 2), Buffer.from([bytes[2]! | 0x80]), bytes.subarray(3)]), from.port)
  })
  await once(server, 'listening')
  const exchange = new Exchange({ host: 'several.test', port })
  t.after(() => {
    exchange.close()
    silent.close()
    server.close()
  })
  equal(await exchange.notify('example.org.', undefined, 200), 0)
  equal(await exchange.notify('example.org.', undefined, 200), 0)
  equal(asked.length, 2)
})

test('[W94] a name that is not found in time is given up, and looked up once at a time', async () => {
  const before = look.mock.callCount()
  const late = { code: 'EAI_AGAIN' }
  await Promise.all([rejects(addressesOf('hangs.test', 20), late), rejects(addressesOf('hangs.test', 20), late)])
  await rejects(addressesOf('hangs.test', 20), late)
  equal(look.mock.callCount() - before, 1)
  deepEqual(await addressesOf('192.0.2.1', 20), ['192.0.2.1'])
})
