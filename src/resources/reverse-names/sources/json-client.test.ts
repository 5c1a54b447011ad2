import { deepEqual, equal, rejects } from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { jsonClient, ServiceAway } from './json-client.ts'

let [asked, connections] = [0, 0]
/** What a request meets in place of an answer. */
let instead: ((request: IncomingMessage, n: number) => boolean) | undefined
const server = createServer((request, response) => {
  asked++
  if (!instead?.(request, asked)) response.end('{"asked":true}')
}).on('connection', () => {
  connections++
})
let url: URL
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
})
after(() => {
  server.close()
  server.closeAllConnections()
})
beforeEach(() => {
  ;[asked, connections, instead] = [0, 0, undefined]
})

const reset = (request: IncomingMessage) => {
  request.socket.resetAndDestroy()
  return true
}

test('[G35] a connection is kept and used again', async () => {
  const ask = jsonClient()
  for (let i = 0; i < 3; i++) deepEqual((await ask({ method: 'POST', url, body: {} })).body, { asked: true })
  deepEqual([asked, connections], [3, 1])
})

test('[G35] a request on a kept connection that the service closes is sent once more, on a new one', async () => {
  const ask = jsonClient()
  await ask({ method: 'GET', url })
  instead = (request, n) => n === 2 && reset(request)
  equal((await ask({ method: 'GET', url })).status, 200)
  deepEqual([asked, connections], [3, 2])
})

test('[G35] it is sent twice at most, and once on a new connection', async () => {
  instead = reset
  await rejects(jsonClient()({ method: 'GET', url }), ServiceAway)
  equal(asked, 1)
  instead = undefined
  const ask = jsonClient()
  await ask({ method: 'GET', url })
  instead = reset
  await rejects(ask({ method: 'GET', url }), /cannot be reached \(ECONNRESET\)/)
  equal(asked, 4)
})

test('[G35] one that is given up for taking too long is not sent again', async () => {
  const ask = jsonClient({ milliseconds: 200 })
  await ask({ method: 'GET', url })
  instead = () => true
  await rejects(ask({ method: 'GET', url }), /did not answer within 0\.2 seconds/)
  await new Promise((resolve) => setTimeout(resolve, 50))
  equal(asked, 2)
})
