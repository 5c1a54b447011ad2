import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { askAll } from '../support/dns-client.ts'
import { freeze } from '../support/freeze.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import type { DeliveryTarget } from '../support/targets.ts'
import { startBindTarget } from '../support/targets-bind9.ts'
import { forAll, type ShownZone, startWorld, type World, within } from './world.ts'

let postgres: Postgres
let env: Readonly<Record<string, string>>
let first: World
let second: World
let server: DeliveryTarget
let target: string

before(async () => {
  postgres = await startPostgres()
  const key = Buffer.alloc(32, 7).toString('base64')
  env = { NAMEPLANE_DATABASE_URL: await postgres.createDatabase(), NAMEPLANE_SECRET_KEY: key }
  first = await startWorld(env)
  server = first.watch(await startBindTarget())
  second = await startWorld(env)
  second.watch(server)
  const body = { type: 'bind9', options: server.options, masters: [primaryOf(second)] }
  target = (await first.call<{ id: string }>('POST', `/v2/pools/${first.pool}/targets`, body)).id
})
after(async () => {
  if (first !== undefined) process.kill(first.service.pid(), 'SIGCONT')
  await first?.stop()
  await second?.stop()
  await server?.stop()
  await postgres?.stop()
})

const primaryOf = ({ service }: World) => ({ host: '127.0.0.1', port: service.dnsPort })
const holder = async (world: World) =>
  (await world.call<{ delivered_by: { holder: string } | null }>('GET', `/v2/pools/${world.pool}/servers`)).delivered_by
    ?.holder ?? ''
const isHeldBy = async (seen: World, holding: World) =>
  (await holder(seen)).split(' ')[1] === String(holding.service.pid())
const served = async (zones: readonly ShownZone[]) =>
  (
    await askAll(
      server.port,
      zones.map(({ name }) => ({ name, type: 6, class: 1 })),
    )
  ).filter(({ answer }) => answer.length === 1).length

test('[W80] a process that stands still past its lease writes nothing more of what it planned', async (t) => {
  // Whichever of them delivers, it is made to be the first.
  ok(await within(async () => (await holder(second)) !== ''))
  if (await isHeldBy(second, second)) {
    await second.service.kill('SIGTERM')
    ok(await within(() => isHeldBy(first, first)))
    await second.service.restart()
  }
  await second.becomes(await second.newZone('before.example.org.'))
  const making = forAll(Array(60).keys(), (i) => second.newZone(`burst${i}.example.org.`))
  await sleep(150 + Math.random() * 250)
  await freeze(first.service.pid())
  t.after(() => process.kill(first.service.pid(), 'SIGCONT'))
  const zones = await making
  const began = performance.now()
  ok(await within(() => isHeldBy(second, second)))
  t.diagnostic(`taken over after ${Math.round(performance.now() - began)} ms`)
  await second.settles()
  equal(await served(zones), zones.length)
  const [gone, kept] = [zones.slice(0, 30), zones.slice(30)]
  await forAll(gone, ({ id }) => second.call('DELETE', `/v2/zones/${id}`))
  for (const zone of gone) await second.leaves(zone)
  equal(await served(gone), 0)

  const logged = server.log().length
  process.kill(first.service.pid(), 'SIGCONT')
  const told = /another process delivers a pool now|the lease of a pool could not be renewed in time/
  ok(await within(async () => told.test(first.service.log())))
  await sleep(1000)
  ok(await isHeldBy(first, second))
  doesNotMatch(server.log().slice(logged), /control channel command/)
  equal(await served(gone), 0)
  equal(await served(kept), kept.length)
  await first.settles()
  await first.becomes(await first.newZone('afterwards.example.org.'))
})

test('[W80] when the process that delivers is killed another takes over, and nothing is lost', async (t) => {
  const names = Array.from({ length: 40 }, (_, i) => `killed${i}.example.org.`)
  const doomed = await first.becomes(await first.newZone('doomed.example.org.'))
  const making = forAll(names, (name) => first.newZone(name))
  await sleep(150 + Math.random() * 250)
  await second.service.kill('SIGKILL')
  const zones = await making
  await first.call('DELETE', `/v2/zones/${doomed.id}`)
  // The server took zones from the one that is gone.
  await first.call('PATCH', `/v2/pools/${first.pool}/targets/${target}`, { masters: [primaryOf(first)] })
  const began = performance.now()
  ok(await within(() => isHeldBy(first, first)))
  t.diagnostic(`taken over after ${Math.round(performance.now() - began)} ms`)
  await first.settles()
  await first.leaves(doomed)
  equal(await served([doomed]), 0)
  equal(await served(zones), zones.length)
  await second.service.restart()
  await second.becomes(await second.newZone('at-last.example.org.'))
  match(await holder(second), new RegExp(` ${first.service.pid()} `))
})
