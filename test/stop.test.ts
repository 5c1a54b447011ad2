import { equal, match } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Service, startService } from './support/service.ts'

const body = '{"name": "org"}'

/** Sends a request up to the middle of its body, so that it is in flight for as long as we like. */
async function beginRequest(service: Service): Promise<{ socket: Socket; answer: () => string; finish: () => void }> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  await once(socket, 'connect')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.on('error', () => {})
  socket.write(
    `POST /v2/tlds HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  )
  // The service has the head of the request once it has answered one sent after it.
  await (await fetch(`${service.url}/healthcheck`)).text()
  return { socket, answer: () => answer, finish: () => socket.write(body.slice(5)) }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`[L10] on ${signal} a request in flight is answered, idle connections are closed, and the process ends with 0`, async (t) => {
    const service = await startService()
    t.after(() => service.stop())
    const request = await beginRequest(service)
    const idle = connect(Number(new URL(service.url).port), '127.0.0.1')
    idle.on('error', () => {})
    await once(idle, 'connect')
    const started = performance.now()
    const ended = service.kill(signal)
    await sleep(300)
    const closed = once(request.socket, 'close')
    request.finish()
    equal(await ended, 0)
    equal(performance.now() - started < 5000, true)
    await closed
    match(request.answer(), /^HTTP\/1\.1 201 /)
    match(service.log(), /"msg":"stopped"/)
    await service.restart()
    match(await (await fetch(`${service.url}/v2/tlds`)).text(), /"name":"org"/)
  })
}

test('[L10] a request that never ends is cut off after 2 s, and the process ends with 0 within 5 s', async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  await beginRequest(service)
  const started = performance.now()
  equal(await service.kill('SIGTERM'), 0)
  const took = performance.now() - started
  equal(took > 1500 && took < 5000, true, `${took} ms`)
})

test('[L10] a second signal stops at once, and the echo of one key press is not a second signal', async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  await beginRequest(service)
  process.kill(service.pid(), 'SIGINT')
  process.kill(service.pid(), 'SIGINT')
  await sleep(600)
  process.kill(service.pid(), 0)
  const started = performance.now()
  equal(await service.kill('SIGINT'), 1)
  equal(performance.now() - started < 1300, true)
})
