import { equal, rejects } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { targetOf } from '../../../test/support/targets.ts'
import type { Target } from '../kind.ts'
import { LeaseLost } from '../leases.ts'
import { kinds } from './index.ts'

const zones = [{ id: '1', name: 'example.org.' }]
const masters = [{ host: '127.0.0.1', port: 53 }]
const signal = AbortSignal.timeout(30_000)
const secret = Buffer.from('secret').toString('base64')

/** A server that hears and says nothing, at a path and at a port. */
async function listen(t: TestContext): Promise<{ path: string; port: number; heard: () => number }> {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-may-act-'))
  const path = join(folder, 'sock')
  const sockets = new Set<Socket>()
  let octets = 0
  const servers = [path, { port: 0, host: '127.0.0.1' }].map((place) => {
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('data', ({ length }) => {
        octets += length
      })
    })
    return { server, listens: new Promise<void>((resolve) => server.listen(place, resolve)) }
  })
  await Promise.all(servers.map(({ listens }) => listens))
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    for (const { server } of servers) server.close()
    await rm(folder, { recursive: true, force: true })
  })
  const { port } = servers[1]!.server.address() as { port: number }
  return { path, port, heard: () => octets }
}

const optionsOf = (path: string, port: number): Readonly<Record<string, Target['options']>> => ({
  bind9: { rndc_host: '127.0.0.1', rndc_port: port, rndc_key_secret: secret, rndc_timeout: 0.3 },
  knot: { socket: path, timeout: 0.3 },
  nsd4: { control_host: path, control_port: port, certfile: '-', keyfile: '-', pattern: 'p', timeout: 0.3 },
  pdns4: { api_endpoint: `http://127.0.0.1:${port}`, api_token: 'token', timeout: 0.3 },
})

for (const type of ['bind9', 'knot', 'nsd4', 'pdns4'] as const) {
  test(`[W80] ${type}: nothing is sent to a server that is another process's to change`, async (t) => {
    const { path, port, heard } = await listen(t)
    const target = targetOf(type, optionsOf(path, port)[type]!, { masters })
    const ours = kinds[type]!.open(target, () => {})
    await rejects(ours.addZones(zones, signal), ({ name }: Error) => name !== 'LeaseLost')
    await ours.close()
    const before = heard()
    equal(before > 0, true)
    const another = kinds[type]!.open(target, () => {
      throw new LeaseLost('a pool')
    })
    await rejects(another.addZones(zones, signal), LeaseLost)
    await rejects(another.dropZones(zones, signal), LeaseLost)
    await another.close()
    equal(heard(), before)
  })
}
