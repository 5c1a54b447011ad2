import { equal } from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from '../../test/support/port.ts'
import { askSerial, defaultPatience } from './client.ts'
import { Exchange } from './exchange.ts'
import { askFrom, sourceTo } from './source.ts'

test('[W93] servers are asked from an address of ours that they know, the one the system takes if that is among them', async () => {
  askFrom(['127.0.0.9', '127.0.0.1'])
  equal(await sourceTo('127.0.0.1'), undefined)
  askFrom(['127.0.0.9', '127.0.0.8', '::1', '2001:DB8::1'])
  equal(await sourceTo('127.0.0.1'), '127.0.0.9')
  equal(await sourceTo('192.0.2.1'), undefined)
  equal(await sourceTo('2001:db8:0::2'), '2001:db8::1')
  askFrom(['127.0.0.9', '0.0.0.0'])
  equal(await sourceTo('127.0.0.1'), undefined)
  askFrom([])
  equal(await sourceTo('127.0.0.1'), undefined)
})

test('[W93] NOTIFY and questions come from that address, over UDP and over TCP', async (t) => {
  askFrom(['127.0.0.9'])
  const port = await freePort()
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const udp = createSocket('udp4').bind(port, '127.0.0.1')
  await once(udp, 'listening')
  const exchange = new Exchange({ host: '127.0.0.1', port })
  t.after(() => {
    exchange.close()
    udp.close()
    server.close()
  })
  const told = once(udp, 'message')
  void exchange.notify('example.org.', undefined, 10_000).catch(() => {})
  equal((await told)[1].address, '127.0.0.9')
  const connected = once(server, 'connection')
  void exchange.serialOverTcp('example.org.', 10_000).catch(() => {})
  const [socket] = await connected
  equal(socket.remoteAddress, '127.0.0.9')
  socket.destroy()
  const asked = once(udp, 'message')
  const { signal } = new AbortController()
  void askSerial({ host: '127.0.0.1', port }, 'example.org.', { patience: defaultPatience, signal }).catch(() => {})
  equal((await asked)[1].address, '127.0.0.9')
})
