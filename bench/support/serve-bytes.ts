import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Canned = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The limit for any service on Node: answers from memory, whatever is asked, with the bytes it was last given. */
let canned: Canned & { readonly bytes: Buffer } = { status: 204, headers: {}, body: '', bytes: Buffer.alloc(0) }
const server = createServer((request, response) => {
  const answer = () => response.writeHead(canned.status, canned.headers).end(canned.bytes)
  if (request.method === 'GET') return void answer()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', answer)
})
process.on('message', (message: Canned) => {
  canned = { ...message, bytes: Buffer.from(message.body) }
  process.send?.({ ready: true })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => server.close(() => process.exit()))
