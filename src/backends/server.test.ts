import { deepEqual, equal, ok } from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from '../../test/support/port.ts'
import { until } from '../../test/support/served.ts'
import { decodeMessage, encodeMessage } from '../dns/message.ts'
import { rdataFromText } from '../dns/rdata.ts'
import { FrameDecoder, frame } from '../dns/stream.ts'
import { ServerProbe } from './server.ts'

const SOA = 6

/** An answer with serial 7, whatever is asked for. */
function answerTo(bytes: Uint8Array): Uint8Array {
  const request = decodeMessage(bytes)
  const { name } = request.question[0]!
  const rdata = rdataFromText(SOA, 'ns. host. 7 1 1 1 1')
  return encodeMessage({
    ...request,
    flags: { ...request.flags, qr: true, aa: true },
    answer: [{ name, type: SOA, class: 1, ttl: 0, rdata }],
  })
}

test('[W76] a server that is deaf to datagrams is asked over TCP, and over UDP again once it hears them', async () => {
  let [isDeaf, overTcp] = [true, 0]
  const port = await freePort()
  const tcp = createServer((socket) => {
    const frames = new FrameDecoder()
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      for (const bytes of frames.push(chunk)) {
        overTcp++
        socket.write(frame(answerTo(bytes)))
      }
    })
  }).listen(port, '127.0.0.1')
  await once(tcp, 'listening')
  const udp = createSocket('udp4')
  udp.on('message', (bytes, from) => isDeaf || udp.send(answerTo(bytes), from.port, from.address))
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  const states: (string | undefined)[] = []
  const probe = new ServerProbe(
    { id: 'one', role: 'nameserver', host: '127.0.0.1', port, key: undefined },
    {
      onShown: () => true,
      onState: (reason) => states.push(reason),
      sample: async () => undefined,
      onSample: () => {},
    },
  )
  try {
    ok(await until(() => states.length > 0, 15_000))
    deepEqual([states, probe.down], [[undefined], undefined])
    deepEqual(await probe.look('example.org.'), { serial: 7 })
    ok(overTcp > 1)
    isDeaf = false
    ok(
      await until(async () => {
        const before = overTcp
        await probe.look('example.org.')
        return overTcp === before
      }, 15_000),
    )
    equal(states.length, 1)
  } finally {
    probe.stop()
    udp.close()
    tcp.close()
  }
})
