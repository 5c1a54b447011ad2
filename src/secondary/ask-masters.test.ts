import { deepEqual, equal, ok } from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { after, test } from 'node:test'
import { decodeMessage, encodeMessage } from '../dns/message.ts'
import { rdataFromText } from '../dns/rdata.ts'
import { askMasters, type Master } from './ask-masters.ts'

const zone = 'example.org.'
const patience = { answer: 1500, silence: 1500, transfer: 1500 }
const signal = new AbortController().signal
const asked: string[] = []
const stops: (() => void)[] = []
after(() => {
  for (const stop of stops) stop()
})

/** A master that tells a serial, after another one was asked where that is named, or none. */
async function master(name: string, serial: number | undefined, other?: string): Promise<Master> {
  const socket = createSocket('udp4')
  socket.on('message', (bytes, from) => {
    asked.push(name)
    if (serial === undefined) return
    const rdata = rdataFromText(6, `ns. host. ${serial} 2 3 4 5`)
    const request = decodeMessage(bytes)
    const records = [{ name: zone, type: 6, class: 1, ttl: 60, rdata }]
    const reply = encodeMessage({ ...request, flags: { ...request.flags, qr: true, aa: true }, answer: records })
    const answer = () => socket.send(reply, from.port, from.address)
    if (other === undefined) return answer()
    const waiting = setInterval(() => {
      if (!asked.includes(other)) return
      clearInterval(waiting)
      answer()
    }, 50)
    stops.push(() => clearInterval(waiting))
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  stops.push(() => socket.close())
  return { name, master: { host: '127.0.0.1', port: socket.address().port, key: undefined } }
}

test('[Y5] masters are asked in their order, and no more than one wants to hear of', async () => {
  asked.length = 0
  const masters = [await master('a', 1), await master('b', 2), await master('c', 3)]
  for await (const { name, serial } of askMasters(masters, zone, { patience, signal })) {
    if (name === 'b') {
      equal(serial, 2)
      break
    }
  }
  deepEqual(asked, ['a', 'b'])
})

test('[Y5] one that is away holds up nobody, and is told of in the end', async () => {
  asked.length = 0
  const masters = [
    await master('away', undefined),
    await master('slow', 4, 'd'),
    await master('c', 5),
    await master('d', undefined),
  ]
  const told: string[] = []
  for await (const { name, serial, error } of askMasters(masters, zone, { patience, signal })) {
    told.push(name)
    ok((serial === undefined) === error instanceof Error)
  }
  deepEqual(told, ['c', 'slow', 'away', 'd'])
  deepEqual(asked.toSorted(), ['away', 'away', 'c', 'd', 'd', 'slow'], 'each once, those that say nothing twice')
})

test('[Y5] who stops waits for nobody', async () => {
  const stop = new AbortController()
  const masters = [await master('away', undefined)]
  setTimeout(() => stop.abort(), 50)
  const started = performance.now()
  const told = await Array.fromAsync(askMasters(masters, zone, { patience, signal: stop.signal }))
  equal(told[0]?.error !== undefined, true)
  ok(performance.now() - started < 2900)
})
