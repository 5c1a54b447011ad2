import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import type { TargetType } from '../../src/target-kinds.ts'
import { ask, askAll } from '../support/dns-client.ts'
import { type DeliveryTarget, serialOf } from '../support/targets.ts'
import { BurstOfEdits } from './burst.ts'
import { forAll, type ShownZone, shows, startWorld, type World, within } from './world.ts'

export type Source = { readonly catalog: string; readonly primary: { readonly host: string; readonly port: number } }

/** A kind of server that zones are delivered to, and what is particular about it. */
export type Subject = {
  readonly name: string
  readonly type: TargetType
  start(source: Source): Promise<DeliveryTarget>
  /** How many zones are made at once. */
  readonly many: number
  /** How often the service is killed. */
  readonly kills: number
  /** Whether it is back, without its zones, before anybody finds it away. */
  readonly isWipedUnseen?: true
  /** Options that keep it from being spoken to, and how that is told. */
  readonly wrong?: { readonly options: object; readonly told: RegExp }
  /** Gives the server a zone that is none of ours; only for kinds that can tell of it. */
  readonly addStranger?: (server: DeliveryTarget, name: string) => Promise<void>
}

const [A, SOA] = [1, 6]

/** What holds of delivery to every kind of server, with a real one. */
export function deliverySuite(subject: Subject): void {
  let world: World
  let server: DeliveryTarget
  let target: string
  let [softly, hardly] = ['', '']
  before(async () => {
    world = await startWorld()
    const primary = { host: '127.0.0.1', port: world.service.dnsPort }
    server = world.watch(await subject.start({ catalog: 'default.catalog.invalid.', primary }))
    const masters = subject.type === 'nsd4' || subject.type === 'catalog' ? {} : { masters: [primary] }
    const body = { type: subject.type, options: server.options, ...masters }
    target = (await world.call<{ id: string }>('POST', `/v2/pools/${world.pool}/targets`, body)).id
  })
  after(async () => {
    await server?.stop()
    await world?.stop()
  })
  const answers = async (name: string) => (await ask(server.port, { name, type: A, class: 1 })).answer.length

  test(`[W70] ${subject.name}: a new zone is PENDING until the server shows it, and then ACTIVE`, async (t) => {
    const began = performance.now()
    const made = await world.newZone('one.example.org.')
    equal(made.status, 'PENDING')
    const zone = await world.becomes(made)
    t.diagnostic(`ACTIVE after ${Math.round(performance.now() - began)} ms, the pool being new`)
    equal(await serialOf(server.port, zone.name), zone.serial)
    const next = performance.now()
    await world.becomes(await world.newZone('two.example.org.'))
    t.diagnostic(`the next one after ${Math.round(performance.now() - next)} ms`)
  })

  test(`[W71] ${subject.name}: a change is ACTIVE once the server has it, twenty at once too`, async (t) => {
    const zone = await world.becomes(await world.newZone('changing.example.org.'))
    const took: number[] = []
    for (let i = 0; i < 5; i++) {
      const set = await world.newSet(zone, `n${i}.${zone.name}`, ['192.0.2.1'])
      const began = performance.now()
      equal(set.status, 'PENDING')
      ok(
        await within(async () => {
          const shown = await world.call<{ status: string }>('GET', `/v2/zones/${zone.id}/recordsets/${set.id}`)
          return shown.status === 'ACTIVE'
        }),
      )
      took.push(performance.now() - began)
      equal(await answers(`n${i}.${zone.name}`), 1)
    }
    t.diagnostic(`ACTIVE after ${took.map(Math.round).join(', ')} ms`)
    await forAll(Array(20).keys(), (i) => world.newSet(zone, `burst${i}.${zone.name}`, ['192.0.2.2']))
    const { serial } = await world.becomes(zone)
    equal(await serialOf(server.port, zone.name), serial)
    for (let i = 0; i < 20; i++) equal(await answers(`burst${i}.${zone.name}`), 1)
  })

  test(`[W72] ${subject.name}: a deleted zone leaves the server, and then the lists`, async () => {
    const [soft, hard] = await forAll(['soft', 'hard'], async (name) =>
      world.becomes(await world.newZone(`${name}.example.org.`)),
    )
    await world.call('DELETE', `/v2/zones/${soft!.id}`)
    await world.call('DELETE', `/v2/zones/${hard!.id}`, undefined, { 'x-designate-hard-delete': 'true' })
    for (const zone of [soft!, hard!]) {
      await world.leaves(zone)
      equal(await serialOf(server.port, zone.name), undefined)
    }
    ;[softly, hardly] = [soft!.id, hard!.id]
  })

  test(`[W73] ${subject.name}: a zone made anew at once takes the place of the deleted one, though its serial be lower`, async () => {
    const old = await world.becomes(await world.newZone('again.example.org.'))
    // As many changes as put its serial ahead of the clock.
    await forAll(Array(15).keys(), (i) => world.newSet(old, `old${i}.${old.name}`, ['192.0.2.1']))
    const before = await world.becomes(old)
    await world.call('DELETE', `/v2/zones/${old.id}`)
    const made = await world.newZone(old.name)
    await world.newSet(made, `new.${old.name}`, ['192.0.2.2'])
    const fresh = await world.becomes(made)
    notEqual(fresh.id, before.id)
    await shows(server, old.name, fresh.serial)
    deepEqual([await answers(`old1.${old.name}`), await answers(`new.${old.name}`)], [0, 1])
    await world.leaves(old)
    let last = fresh
    for (const name of [old.name, 'Again.Example.ORG.', old.name]) {
      await world.call('DELETE', `/v2/zones/${last.id}`)
      last = await world.newZone(name)
    }
    const { serial } = await world.becomes(last)
    equal(await serialOf(server.port, old.name), serial)
    equal(await answers(`new.${old.name}`), 0)
  })

  test(`[W70] ${subject.name}: ${subject.many} zones made at once are all served`, async (t) => {
    const began = performance.now()
    const zones = await forAll(Array(subject.many).keys(), (i) => world.newZone(`m${i}.many.example.org.`), 32)
    const made = performance.now()
    await world.settles()
    t.diagnostic(`made in ${Math.round(made - began)} ms, ACTIVE ${Math.round(performance.now() - made)} ms later`)
    const questions = zones.map(({ name }) => ({ name, type: SOA, class: 1 }))
    const replies = await askAll(server.port, questions)
    equal(replies.filter(({ answer }) => answer.length === 1).length, subject.many)
  })

  test(`[W76] ${subject.name}: a server that was away catches up with what was made, changed and deleted`, async (t) => {
    const [changed, deleted, gone] = await forAll(['changed', 'deleted', 'replaced'], async (name) =>
      world.becomes(await world.newZone(`${name}.example.org.`)),
    )
    await server.halt()
    const made = await world.newZone('made.example.org.')
    await world.newSet(changed!, `www.${changed!.name}`, ['192.0.2.3'])
    await world.call('DELETE', `/v2/zones/${deleted!.id}`)
    await world.call('DELETE', `/v2/zones/${gone!.id}`)
    const anew = await world.newZone(gone!.name)
    await world.serversBecome(world.pool, ({ servers: [only] }) => only?.status === 'DOWN')
    equal((await world.zone(made.id)).status, 'PENDING')
    await server.resume()
    const began = performance.now()
    for (const zone of [made, changed!, anew]) {
      const { serial, name } = await world.becomes(zone)
      equal(await serialOf(server.port, name), serial)
    }
    await world.leaves(deleted!)
    t.diagnostic(`caught up after ${Math.round(performance.now() - began)} ms`)
    equal(await serialOf(server.port, deleted!.name), undefined)
    equal(await answers(`www.${changed!.name}`), 1)
  })

  test(`[W77] ${subject.name}: a server that lost all is given it again`, async (t) => {
    const { zones } = await world.call<{ zones: ShownZone[] }>('GET', '/v2/zones?limit=1000')
    const ours = zones.filter(({ name }) => !name.endsWith('.invalid.'))
    await server.halt()
    if (!subject.isWipedUnseen) {
      await world.newSet(ours[0]!, `while-away.${ours[0]!.name}`, ['192.0.2.9'])
      await world.serversBecome(world.pool, ({ servers: [only] }) => only?.status === 'DOWN')
    }
    await server.wipe()
    await server.resume()
    const began = performance.now()
    const questions = ours.map(({ name }) => ({ name, type: SOA, class: 1 }))
    ok(
      await within(async () => (await askAll(server.port, questions)).every(({ answer }) => answer.length === 1)),
      server.log().slice(-3000),
    )
    t.diagnostic(`${ours.length} zones were back after ${Math.round(performance.now() - began)} ms`)
    await world.serversBecome(world.pool, ({ servers: [only] }) => only?.zones_behind === 0 && only.status === 'UP')
  })

  const { wrong } = subject
  if (wrong !== undefined) {
    test(`[W79] ${subject.name}: that the server cannot be spoken to is told, and mended by changing the target alone`, async () => {
      const path = `/v2/pools/${world.pool}/targets/${target}`
      await world.call('PATCH', path, { options: { ...server.options, ...wrong.options } })
      const zone = await world.newZone('kept-out.example.org.')
      const shown = await world.serversBecome(world.pool, ({ servers: [only] }) => only?.status === 'DOWN')
      match(shown.servers[0]!.error!, wrong.told)
      equal((await world.zone(zone.id)).status, 'PENDING')
      await world.call('PATCH', path, { options: server.options })
      await world.becomes(zone)
      await world.serversBecome(world.pool, ({ status }) => status === 'ACTIVE')
    })
  }

  const { addStranger } = subject
  if (addStranger !== undefined) {
    test(`[W83] ${subject.name}: a zone that is none of ours is reported, and not touched`, async () => {
      await addStranger(server, 'stranger.example.net.')
      const { findings } = await world.check(world.pool, 'serials')
      deepEqual(
        findings.map(({ zone, level }) => [zone, level]),
        [['stranger.example.net.', 'warning']],
      )
      const again = await world.check(world.pool, 'serials')
      equal(again.findings.length, 1)
    })
  }

  test(`[W81] ${subject.name}: killed at any moment, the service goes on where it was`, async (t) => {
    const burst = new BurstOfEdits(world)
    for (let round = 0; round < subject.kills; round++) {
      await burst.during(async () => {
        await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 600))
        await world.service.kill('SIGKILL')
      })
      await world.service.restart()
    }
    t.diagnostic(`${burst.acknowledged} edits were acknowledged`)
    await world.settles()
    await burst.mustHold(server.port)
  })

  test(`[W72] ${subject.name}: of a hard deleted zone nothing is kept`, async () => {
    ok(await within(async () => traces(world, hardly) === 0))
    ok(traces(world, softly) > 0)
  })

  test(`[W84] ${subject.name}: checks find nothing wrong where nothing is`, async () => {
    const reach = await world.check(world.pool, 'reach')
    deepEqual(
      reach.findings.filter(({ level }) => level === 'error'),
      [],
    )
    ok(reach.findings.some(({ level }) => level === 'ok'))
    const content = await world.check(world.pool, 'content')
    ok(content.zones_checked > subject.many)
    deepEqual(
      content.findings.filter(({ level, zone }) => level === 'error' && zone !== 'stranger.example.net.'),
      [],
    )
  })
}

/** How many rows a zone has in the database. */
function traces({ service }: World, id: string): number {
  const db = new DatabaseSync(join(service.dataDir, 'nameplane.db'), { readOnly: true })
  try {
    return (db.prepare('select count(*) as n from zones where id = ?').get(id) as { n: number }).n
  } finally {
    db.close()
  }
}
