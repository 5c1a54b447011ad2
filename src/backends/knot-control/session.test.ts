import { ok, rejects } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { Mendable } from '../mendable.ts'
import { KnotSession } from './session.ts'

let folder: string
let path: string
let say: (socket: Socket) => void = () => {}
const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => {})
  socket.resume()
  say(socket)
})

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nameplane-knot-'))
  path = join(folder, 'sock')
  await new Promise<void>((resolve) => server.listen(path, resolve))
})
after(async () => {
  for (const socket of sockets) socket.destroy()
  server.close()
  await rm(folder, { recursive: true })
})

test('[W44] whatever a socket sends, a command ends in time with an answer or an error for people', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (octets) => {
      say = (socket) => socket.end(octets)
      const session = new KnotSession({ path, timeout: 500 })
      const outcome = await session.one({ command: 'status' }).catch((error: unknown) => error)
      session.end()
      ok(!(outcome instanceof Error) || (outcome instanceof Mendable && outcome.mend !== ''), String(outcome))
    }),
    { numRuns: 100 },
  )
})

test('[W44] what speaks no control protocol, and what says nothing, is told as such', async () => {
  say = (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n')
  await rejects(new KnotSession({ path, timeout: 500 }).one({ command: 'status' }), /unknown code 72/)
  say = () => {}
  await rejects(
    new KnotSession({ path, timeout: 200 }).one({ command: 'status' }),
    /no answer at .* within 0\.2 seconds/,
  )
})
