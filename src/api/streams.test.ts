import { equal, ok } from 'node:assert/strict'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import pino from 'pino'
import { closeGently, sendStream } from './streams.ts'

const log = pino({ level: 'silent' })
const part = 'x'.repeat(65_536)
const app = Fastify()
let isWanted = false
let ended = 0

async function* endless(): AsyncGenerator<string, void> {
  try {
    for (;;) yield part
  } finally {
    ended += 1
  }
}

async function refuse(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  closeGently(request.raw, 300)
  await reply.code(413).header('Connection', 'close').send('no')
}

before(async () => {
  app.get('/:still', (request, reply) => {
    const stillMilliseconds = Number((request.params as { still: string }).still)
    const patience = { stillMilliseconds, slowMilliseconds: 100, octetsASecond: 1_000_000 }
    return sendStream(
      reply,
      { status: 200, stream: endless(), contentType: 'text/dns' },
      { log, isWanted: () => isWanted, patience },
    )
  })
  app.post('/', { onRequest: refuse }, () => {})
  await app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => app.close())

/** Asks for the endless answer and takes nothing of it. */
function ask(stillMilliseconds: number): Socket {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(`GET /${stillMilliseconds} HTTP/1.1\r\nHost: x\r\n\r\n`)
  return socket
}

async function until(condition: () => boolean): Promise<boolean> {
  for (let i = 0; i < 900 && !condition(); i++) await sleep(20)
  return condition()
}

test('[I28] a slow client is cut off once others wait, and not before', { timeout: 20_000 }, async () => {
  const before = ended
  const socket = ask(60_000)
  await sleep(800)
  equal(ended, before)
  isWanted = true
  ok(await until(() => ended > before))
  isWanted = false
  socket.destroy()
})

test('[I28] a client that takes what it is sent is not cut off while others wait', { timeout: 20_000 }, async () => {
  const before = ended
  isWanted = true
  const socket = ask(60_000)
  let taken = 0
  socket.on('data', (data) => {
    taken += data.length
  })
  socket.resume()
  await until(() => taken > 20_000_000)
  ok(taken > 20_000_000)
  equal(ended, before)
  isWanted = false
  socket.destroy()
  ok(await until(() => ended > before))
})

test('[I24] a client that takes nothing for long is cut off', { timeout: 20_000 }, async () => {
  const before = ended
  const socket = ask(300)
  ok(await until(() => ended > before))
  socket.destroy()
})

test('[H36] who goes on sending what was refused is cut off after a while', { timeout: 20_000 }, async () => {
  const socket = connect({ port: (app.server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  let answer = ''
  let isCut = false
  socket.on('data', (bytes) => {
    answer += bytes
  })
  socket.on('error', () => {
    isCut = true
  })
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n')
  const begun = performance.now()
  const sending = setInterval(() => socket.write(part), 10)
  ok(await until(() => isCut))
  clearInterval(sending)
  ok(performance.now() - begun > 250)
  ok(answer.startsWith('HTTP/1.1 413 '))
  socket.destroy()
})
