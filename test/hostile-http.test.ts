import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, sqliteStore, startTestApi } from './support/api.ts'

let api: Api
before(async () => {
  api = await startTestApi(sqliteStore)
})
after(() => api.close())

const sockets: Socket[] = []
after(() => {
  for (const socket of sockets) socket.destroy()
})

/** A raw connection that stays open; what it receives is dropped. */
async function open(): Promise<Socket> {
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  socket.on('error', () => {})
  socket.resume()
  await new Promise((resolve) => socket.once('connect', resolve))
  return socket
}

async function isServing(): Promise<void> {
  const start = performance.now()
  equal((await api.list('/v2/tlds')).status, 200)
  ok(performance.now() - start < 10_000)
}

const head = 'Host: a\r\nConnection: close\r\n'
const status = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)

test('[H39] what is no HTTP request is refused in our shape', async () => {
  for (const bytes of [
    'hello\r\n\r\n',
    'GET\r\n\r\n',
    'GET /v2/tlds HTTP/9.9\r\n\r\n',
    'GET /v2/tlds HTTP/1.1\r\nHost a\r\n\r\n',
    `GET /v2/tlds HTTP/1.1\r\n${head}X: a\0b\r\n\r\n`,
    `GET /v2 /tlds HTTP/1.1\r\n${head}\r\n`,
    `POST /v2/tlds HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `POST /v2/tlds HTTP/1.1\r\n${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST /v2/tlds HTTP/1.1\r\n${head}Content-Length: -1\r\n\r\n`,
    `POST /v2/tlds HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    '\r\n\r\n\r\n\0\0\0\0',
  ]) {
    const answer = await api.send(bytes)
    equal(status(answer), 400, JSON.stringify([bytes, answer]))
    match(answer, /X-Openstack-Request-Id: req-/i)
    match(answer, /"type":"bad_request"/)
  }
  await isServing()
})

test('[H39] a request without Host is refused, and one with an expectation we do not know is served', async () => {
  equal(status(await api.send('GET /v2/tlds HTTP/1.1\r\nConnection: close\r\n\r\n')), 400)
  equal(status(await api.send(`GET /v2/tlds HTTP/1.1\r\n${head}Expect: tea\r\n\r\n`)), 200)
  equal(status(await api.send(`GET http://a/v2/tlds HTTP/1.1\r\n${head}\r\n`)), 200)
})

test('[H39] methods that HTTP knows and we do not are refused as such', async () => {
  for (const method of ['TRACE', 'PROPFIND', 'LOCK', 'PURGE', 'REPORT'])
    equal(status(await api.send(`${method} /v2/tlds HTTP/1.1\r\n${head}\r\n`)), 405, method)
  equal(
    status(await api.send(`GET /v2/tlds HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: h2c\r\n\r\n`)),
    200,
  )
})

test('[H39] a head over 16 KiB is refused, one just below it is read', async () => {
  const long = (size: number) => `GET /v2/tlds HTTP/1.1\r\n${head}X-Long: ${'x'.repeat(size)}\r\n\r\n`
  equal(status(await api.send(long(20_000))), 431)
  equal(status(await api.send(`GET /v2/tlds?name=${'x'.repeat(20_000)} HTTP/1.1\r\n${head}\r\n`)), 431)
  equal(status(await api.send(long(15_000))), 200)
  equal(status(await api.send(`GET /v2/tlds?name=${'*a'.repeat(3000)} HTTP/1.1\r\n${head}\r\n`)), 200)
  await isServing()
})

test('[H36] a body that streams past the limit is cut off', async () => {
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
  const start = `POST /v2/tlds HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  const answer = await api.send(start, ...Array.from({ length: 10 }, () => chunk), '0\r\n\r\n')
  equal(status(answer), 413)
  match(answer, /"type":"request_too_large"/)
  equal(
    status(
      await api.send(
        `POST /v2/tlds HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`,
      ),
    ),
    413,
  )
  await isServing()
})

test('[H36] who sends all of a large body before reading is told why it is refused', async () => {
  const { hostname, port } = new URL(api.url)
  const start = `POST /v2/tlds HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`
  const body = Buffer.alloc(20_000_000, 'x')
  const chunked = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
  for (const [length, sent] of [
    [`Content-Length: ${body.length}`, body],
    ['Transfer-Encoding: chunked', chunked],
  ] as const) {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).pause()
    sockets.push(socket)
    socket.write(`${start}${length}\r\n\r\n`)
    await new Promise<void>((resolve, reject) => socket.write(sent, (error) => (error ? reject(error) : resolve())))
    let answer = ''
    for await (const part of socket) answer += part
    equal(status(answer), 413)
    match(answer, /Connection: close/i)
  }
  await isServing()
})

test('[H39] requests that are pipelined are answered in order', async () => {
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
  const answer = await api.send(
    `${get('/v2/tlds') + get('/nope') + get('/v2/tlds/x')}GET /v2/blacklists HTTP/1.1\r\n${head}\r\n`,
  )
  deepEqual(
    [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code)),
    [200, 404, 400, 200],
  )
})

test('[H39] an answer on its way is not lost to what follows it on the connection', async () => {
  const body = '{"name":"pipelined"}'
  const post = `POST /v2/tlds HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const answer = await api.send(`${post}garbage\r\n\r\n`)
  equal(status(answer), 201)
  equal((await api.list('/v2/tlds?name=pipelined')).body.tlds?.length, 1)
})

test('[H39] a client that leaves in the middle does no harm, and its half request changes nothing', async () => {
  const cut =
    'POST /v2/tlds HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":"cut"'
  for (const [bytes, leave] of [
    ['', 'end'],
    ['GET /v2', 'end'],
    [cut, 'end'],
    [cut, 'destroy'],
    ['GET /v2/tlds HTTP/1.1\r\nHost: a\r\n\r\n', 'destroy'],
    [`${cut.replace('100', '14')}}`, 'destroy'],
  ] as const) {
    const socket = await open()
    socket.write(bytes)
    await sleep(2)
    if (leave === 'end') socket.end()
    else socket.resetAndDestroy()
  }
  await isServing()
})

test('[H39] clients that send slowly keep nobody waiting', async () => {
  const slow = await Promise.all(Array.from({ length: 200 }, open))
  for (const [i, socket] of slow.entries())
    socket.write(
      i % 2
        ? 'GET /v2/tlds HT'
        : 'POST /v2/tlds HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
    )
  for (let i = 0; i < 5; i += 1) {
    for (const socket of slow) socket.write('x')
    await isServing()
  }
  for (const socket of slow) socket.destroy()
  await isServing()
})

test('[H39] filters with many stars are matched in good time', async () => {
  for (let i = 0; i < 20; i += 1)
    await api.post('/v2/tlds', { name: `${'a'.repeat(60)}.${'a'.repeat(60)}.${'a'.repeat(60)}.a${i}` })
  const start = performance.now()
  for (const name of [`${'a*'.repeat(100)}b`, `${'*a'.repeat(150)}*b*`, '*'.repeat(5000), `*${'aa*'.repeat(50)}!`])
    equal((await api.list(`/v2/tlds?name=${name}`)).status, 200)
  ok(performance.now() - start < 10_000)
})

test('[H39] hundreds of clients at once all get their answer', async () => {
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      i % 3 ? api.list('/v2/tlds') : api.post('/v2/blacklists', { pattern: `many-${i}` }),
    ),
  )
  ok(answers.every((answer) => answer.status === 200 || answer.status === 201))
  equal((await api.list('/v2/blacklists?limit=max')).body.blacklists?.length, 100)
})

test('[H39] clients that have sent half a request do not keep the service from stopping', async () => {
  const other = await startTestApi(sqliteStore)
  const { hostname, port } = new URL(other.url)
  for (const half of [
    'GET /v2/tl',
    'POST /v2/tlds HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
  ]) {
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    socket.on('error', () => {})
    socket.resume()
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(half)
  }
  await sleep(50)
  const start = performance.now()
  await other.close()
  ok(performance.now() - start < 4000)
})
