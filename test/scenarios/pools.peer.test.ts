import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { bindCatalogOptions, bindCatalogZone } from '../../src/backends/catalog-recipes.ts'
import { decodeMessage } from '../../src/dns/message.ts'
import { freeze } from '../support/freeze.ts'
import { startNamed } from '../support/nameservers.ts'
import { type DeliveryTarget, serialOf } from '../support/targets.ts'
import { startBindTarget } from '../support/targets-bind9.ts'
import { startBindCatalog } from '../support/targets-catalog.ts'
import { startKnotTarget } from '../support/targets-knot.ts'
import { type ShownServers, type ShownZone, shows, startWorld, type World, within } from './world.ts'

const run = promisify(execFile)
const key = {
  name: 'delivery-key',
  algorithm: 'hmac-sha256',
  secret: Buffer.from('the key of transfers, in a test.').toString('base64'),
}

let world: World
let bind: DeliveryTarget
let knot: DeliveryTarget
const others: DeliveryTarget[] = []
let primary: { host: string; port: number }

before(async () => {
  world = await startWorld({ NAMEPLANE_SCHEDULER_FILTERS: 'pool_id_attribute,in_doubt_default_pool' })
  primary = { host: '127.0.0.1', port: world.service.dnsPort }
  ;[bind, knot] = await Promise.all([startBindTarget(), startKnotTarget()])
  for (const server of [bind, knot]) world.watch(server)
})
after(async () => {
  for (const server of [bind, knot, ...others]) {
    if (server === undefined) continue
    resume(server)
    await server.stop()
  }
  await world?.stop()
})

const hang = (server: DeliveryTarget) => freeze(server.pid())
const resume = (server: DeliveryTarget) => process.kill(server.pid(), 'SIGCONT')
const give = async (pool: string, type: string, server: DeliveryTarget, more: object = {}) =>
  (
    await world.call<{ id: string }>('POST', `/v2/pools/${pool}/targets`, {
      type,
      options: server.options,
      ...(type === 'catalog' ? {} : { masters: [primary] }),
      ...more,
    })
  ).id
const newZoneIn = (pool: string, name: string) => world.newZone(name, { attributes: { pool_id: pool } })
const serversOf = (zone: { id: string }) =>
  world.call<ShownServers & { threshold: number }>('GET', `/v2/zones/${zone.id}/servers`)

test('[W78] [W74] [W75] a hung server delays no other, keeps zones PENDING, then in ERROR with the reason, and is made up for', async (t) => {
  const pool = await world.newPool('two servers')
  const path = `/v2/pools/${pool}/delivery`
  await world.call('PATCH', path, { grace_seconds: 2 })
  const [knotId, bindId] = [await give(pool, 'knot', knot), await give(pool, 'bind9', bind)]
  const zone = await world.becomes(await newZoneIn(pool, 'hung.example.org.'))
  const doomed = await world.becomes(await newZoneIn(pool, 'doomed.example.org.'))

  await hang(bind)
  const made = await newZoneIn(pool, 'meanwhile.example.org.')
  const began = performance.now()
  await shows(knot, made.name, made.serial)
  t.diagnostic(`[W78] the other server has a new zone after ${Math.round(performance.now() - began)} ms`)
  await world.newSet(zone, `www.${zone.name}`, ['192.0.2.1'])
  await shows(knot, zone.name, (await world.zone(zone.id)).serial)
  deepEqual([(await world.zone(made.id)).status, (await world.zone(zone.id)).status], ['PENDING', 'PENDING'])

  await world.becomes(made, 'ERROR')
  const wanted = `servers: 1 of 2 show serial ${made.serial}, 2 must; 127.0.0.1:${bind.port}: it does not answer`
  ok(await within(async () => (await world.zone(made.id)).status_reason === wanted))
  const { status, servers } = await world.serversBecome(pool, (shown) => shown.status === 'ERROR')
  equal(status, 'ERROR')
  deepEqual(
    servers.map((server) => [server.id, server.status]),
    [
      [knotId, 'UP'],
      [bindId, 'DOWN'],
    ],
  )
  const seen = await serversOf(made)
  deepEqual([seen.threshold, seen.servers.map((server) => server.status)], [2, ['CURRENT', 'UNKNOWN']])
  deepEqual(
    (await serversOf(zone)).servers.map((server) => server.status),
    ['CURRENT', 'BEHIND'],
  )

  await world.call('PATCH', path, { threshold_percentage: 50 })
  await world.becomes(made)
  await world.serversBecome(pool, (shown) => shown.status === 'DEGRADED')
  await world.becomes(await newZoneIn(pool, 'half.example.org.'))
  await world.call('DELETE', `/v2/zones/${doomed.id}`)
  await world.leaves(doomed)
  equal(await serialOf(knot.port, doomed.name), undefined)

  resume(bind)
  await world.serversBecome(pool, (shown) => shown.status === 'ACTIVE')
  await world.call('PATCH', path, { threshold_percentage: 100 })
  for (const name of [made.name, zone.name, 'half.example.org.']) {
    const [shown] = (await world.call<{ zones: ShownZone[] }>('GET', `/v2/zones?name=${name}`)).zones
    const { serial } = await world.becomes(shown!)
    await shows(bind, name, serial)
  }
  await shows(bind, doomed.name, undefined)
  equal('status_reason' in (await world.zone(made.id)), false)
})

test('[W82] a moved zone is proven at its new servers before the old ones let go of it, and comes back in the midst of it', async () => {
  const [from, to] = [await world.newPool('from'), await world.newPool('to')]
  await give(from, 'knot', knot)
  await give(to, 'bind9', bind, { options: { ...bind.options, rndc_timeout: 2 } })
  const zone = await world.becomes(await newZoneIn(from, 'moved.example.org.'))
  const move = (pool_id: string) => world.call('POST', `/v2/zones/${zone.id}/tasks/pool_move`, { pool_id })

  await hang(bind)
  await move(to)
  await world.serversBecome(to, (shown) => shown.status === 'ERROR')
  ok((await serialOf(knot.port, zone.name)) !== undefined)
  await move(from)
  await world.becomes(zone)
  await move(to)
  await new Promise((done) => setTimeout(done, 1500))
  ok((await serialOf(knot.port, zone.name)) !== undefined)
  equal((await world.zone(zone.id)).status, 'PENDING')
  resume(bind)
  const { serial } = await world.becomes(zone)
  equal(await serialOf(bind.port, zone.name), serial)
  await shows(knot, zone.name, undefined)
  await world.settles()
})

test('[W82] a zone that is moved between two pools of one server stays there', async () => {
  for (const [type, server] of [
    ['knot', knot],
    ['bind9', bind],
  ] as const) {
    const [from, to] = [await world.newPool(`${type} one`), await world.newPool(`${type} other`)]
    await give(from, type, server)
    await give(to, type, server)
    const zone = await world.becomes(await newZoneIn(from, `stays-at-${type}.example.org.`))
    await world.call('POST', `/v2/zones/${zone.id}/tasks/pool_move`, { pool_id: to })
    await world.becomes(zone)
    // The old pool lets go of it within a second.
    for (const end = performance.now() + 2500; performance.now() < end; ) {
      ok((await serialOf(server.port, zone.name)) !== undefined)
      await new Promise((done) => setTimeout(done, 50))
    }
    await world.call('DELETE', `/v2/zones/${zone.id}`)
    await shows(server, zone.name, undefined)
  }
})

test('[W82] a zone changes catalogs at one server, which takes it over', async (t) => {
  const [from, to] = [await world.newPool('cat from'), await world.newPool('cat to')]
  const catalogs = ['cat-from.catalog.invalid.', 'cat-to.catalog.invalid.']
  const second = { catalog: catalogs[1]!, primary }
  const [entry] = /zone .*?;\n(?= {2}\};)/s.exec(bindCatalogOptions(second))!
  const change = (config: string) =>
    `${config.replace('catalog-zones {', `catalog-zones {\n    ${entry}`)}${bindCatalogZone(second)}`
  const server = await startBindCatalog({ catalog: catalogs[0]!, primary }, { change })
  others.push(world.watch(server))
  await give(from, 'catalog', server)
  await give(to, 'catalog', server)
  const zone = await world.becomes(await newZoneIn(from, 'handed-over.example.org.'))
  let [gap, isOver] = [0, false]
  const watching = (async () => {
    for (let last = performance.now(); !isOver; ) {
      const isServed = (await serialOf(server.port, zone.name)) !== undefined
      if (!isServed) gap += performance.now() - last
      last = performance.now()
    }
  })()
  await world.call('POST', `/v2/zones/${zone.id}/tasks/pool_move`, { pool_id: to })
  const { serial } = await world.becomes(zone)
  await shows(server, zone.name, serial)
  const listed = async (catalog: string) => (await transfer('127.0.0.1', catalog)).includes(zone.name)
  ok(await within(async () => !(await listed(catalogs[0]!)) && (await listed(catalogs[1]!))))
  isOver = true
  await watching
  t.diagnostic(`not served for ${Math.round(gap)} ms, while BIND changes hands`)
  // It was taken over, not dropped and then found missing.
  const taken = server
    .log()
    .indexOf(`adding zone 'handed-over.example.org' from catalog 'cat-to.catalog.invalid' - success`)
  ok(
    taken > 0 && taken < server.log().lastIndexOf(`updating catalog zone 'cat-from.catalog.invalid'`),
    server.log().slice(-3000),
  )
  equal(await serialOf(server.port, zone.name), serial)
})

/** What `dig` gets of a transfer of a zone from us, asking from an address. */
async function transfer(from: string, name: string, more: readonly string[] = []): Promise<string> {
  const args = ['@127.0.0.1', '-p', String(primary.port), '-b', from, ...more, name, 'AXFR', '+tries=1', '+time=5']
  return (await run('dig', args)).stdout
}

test('[W85] [W79] servers of a pool may transfer, with their key where they have one, and nobody else; a wrong key is told and mended', async () => {
  const open = await world.newPool('open')
  await give(open, 'bind9', bind)
  const zone = await world.becomes(await newZoneIn(open, 'transfers.example.org.'))
  match(await transfer('127.0.0.1', zone.name), /XFR size/)
  match(await transfer('127.0.0.2', zone.name), /Transfer failed/)

  const server = world.watch(await startBindTarget({ key }))
  others.push(server)
  const closed = await world.newPool('closed')
  const wrong = { ...key, secret: Buffer.from('another key').toString('base64') }
  const { id } = await world.call<{ id: string }>('POST', '/v2/tsigkeys', {
    ...wrong,
    name: 'delivery-key.',
    scope: 'POOL',
    resource_id: closed,
  })
  await give(closed, 'bind9', server, { tsigkey_id: id })
  const signed = await newZoneIn(closed, 'signed.example.org.')
  const shown = await world.serversBecome(closed, ({ servers: [only] }) => only?.status === 'DOWN')
  match(shown.servers[0]!.error!, /key/)
  equal((await world.zone(signed.id)).status, 'PENDING')
  await world.call('PATCH', `/v2/tsigkeys/${id}`, { secret: key.secret })
  await world.becomes(signed)
  await world.serversBecome(closed, ({ status }) => status === 'ACTIVE')
  match(await transfer('127.0.0.1', signed.name), /Transfer failed/)
  match(await transfer('127.0.0.1', signed.name, ['-y', `${key.algorithm}:${key.name}:${key.secret}`]), /XFR size/)
})

test('[W84] a check finds a server that was tampered with, one that is behind, and one that is silent', async () => {
  const pool = await world.newPool('checked')
  const missing = await world.becomes(await newZoneIn(pool, 'missing.example.org.'))
  const zone = await world.becomes(await newZoneIn(pool, 'tampered.example.org.'))
  const dig = async (type: string) =>
    (await run('dig', ['@127.0.0.1', '-p', String(primary.port), zone.name, type, '+noall', '+answer'])).stdout
  const text = `${await dig('SOA')}${await dig('NS')}evil.${zone.name} 60 IN A 192.0.2.66\n`
  const named = await startNamed([{ origin: zone.name, text }])
  try {
    await world.call('POST', `/v2/pools/${pool}/nameservers`, { host: '127.0.0.1', port: named.port })
    await world.becomes(zone)
    const found = async (depth: string) =>
      (await world.check(pool, depth)).findings.map(({ zone, level, what }) => [zone, level, what])
    deepEqual(await found('serials'), [[missing.name, 'error', 'it answers REFUSED']])
    deepEqual(await found('content'), [
      [missing.name, 'error', 'it answers NOTAUTH to the transfer (AXFR)'],
      [zone.name, 'error', 'under the same serial it has 1 records that we do not, and lacks 0 that we have'],
    ])
    await world.newSet(zone, `www.${zone.name}`, ['192.0.2.1'])
    const { serial } = await world.zone(zone.id)
    for (const depth of ['serials', 'content']) {
      const behind = (await found(depth)).find(([name]) => name === zone.name)
      deepEqual(behind!.slice(0, 2), [zone.name, 'error'])
      match(behind![2]!, new RegExp(`serial ${zone.serial}, ours is ${serial}`))
    }
    deepEqual(
      (await found('reach')).map(([, level]) => level),
      ['ok', 'ok', 'warning'],
    )
  } finally {
    await named.stop()
  }
  for (const depth of ['serials', 'content']) {
    const { findings } = await world.check(pool, depth)
    deepEqual([findings.length, findings[0]!.level], [1, 'error'], 'of a server that is silent, one finding tells')
  }
  const reach = await world.check(pool, 'reach')
  const [silent] = reach.findings
  equal(silent!.level, 'error')
  match(silent!.what, /nothing listens there/)
  match(silent!.mend!, /see that the server runs/)
})

test('[W86] a pool whose last server goes is served by the built-in one alone again', async () => {
  const pool = await world.newPool('left alone')
  const id = await give(pool, 'bind9', bind)
  const kept = await world.becomes(await newZoneIn(pool, 'kept.example.org.'))
  await hang(bind)
  const [stuck, doomed] = [await newZoneIn(pool, 'stuck.example.org.'), await newZoneIn(pool, 'leaving.example.org.')]
  await world.call('DELETE', `/v2/zones/${doomed.id}`)
  await world.call('DELETE', `/v2/pools/${pool}/targets/${id}`)
  for (const zone of [kept, stuck]) await world.becomes(zone)
  await world.leaves(doomed)
  resume(bind)
  const set = await world.newSet(kept, `www.${kept.name}`, ['192.0.2.1'])
  equal(set.status, 'PENDING')
  await world.becomes(kept)
  deepEqual(
    (await world.servers(pool)).servers.map(({ status }) => status),
    ['UP'],
  )
})

test('[W87] an abandoned zone stays at the servers it was given to', async () => {
  const pool = await world.newPool('abandoning')
  await give(pool, 'knot', knot)
  const zone = await world.becomes(await newZoneIn(pool, 'abandoned.example.org.'))
  await world.call('POST', `/v2/zones/${zone.id}/tasks/abandon`)
  await world.leaves(zone)
  // What is given after it shows that whatever was to be done with it is done.
  await world.becomes(await newZoneIn(pool, 'after.example.org.'))
  equal(await serialOf(knot.port, zone.name), zone.serial)
  const again = await world.becomes(await newZoneIn(pool, zone.name))
  await shows(knot, zone.name, again.serial)
})

test('[W88] whoever is in also_notifies is told of every change', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const told: string[] = []
  socket.on('message', (bytes, { port }) => {
    const { question, opcode } = decodeMessage(bytes)
    if (opcode === 4) told.push(question[0]!.name)
    const reply = Buffer.from(bytes)
    reply[2] = reply[2]! | 0x80
    socket.send(reply, port, '127.0.0.1')
  })
  const pool = await world.newPool('also told')
  await give(pool, 'bind9', bind)
  await world.call('POST', `/v2/pools/${pool}/also_notifies`, { host: '127.0.0.1', port: socket.address().port })
  const zone = await world.becomes(await newZoneIn(pool, 'told.example.org.'))
  ok(await within(async () => told.includes(zone.name)))
  const before = told.length
  await world.newSet(zone, `www.${zone.name}`, ['192.0.2.1'])
  ok(await within(async () => told.length > before))
  socket.close()
})

test('[W89] what each server was last seen to have is told, by zone and by pool', async () => {
  const pool = await world.newPool('seen')
  const target = await give(pool, 'bind9', bind)
  const proof = await world.call<{ id: string }>('POST', `/v2/pools/${pool}/nameservers`, {
    host: '127.0.0.1',
    port: knot.port,
  })
  // The name server is not the one that the target stands for: it never has the zone.
  const zone = await newZoneIn(pool, 'unseen.example.org.')
  await shows(bind, zone.name, zone.serial)
  ok(await within(async () => (await serversOf(zone)).servers[0]?.status === 'MISSING'))
  const [missing] = (await serversOf(zone)).servers
  deepEqual([missing!.id, missing!.serial, missing!.error], [proof.id, null, 'it answers REFUSED'])
  const { servers } = await world.serversBecome(pool, (shown) => shown.servers[0]?.status === 'UP')
  deepEqual([servers.length, servers[0]!.zones_behind], [1, 1])

  await world.call('PATCH', `/v2/pools/${pool}/nameservers/${proof.id}`, { port: bind.port })
  await world.becomes(zone)
  const [current] = (await serversOf(zone)).servers
  deepEqual([current!.status, current!.serial, current!.error], ['CURRENT', zone.serial, null])
  ok(current!.seen_at !== null)
  await world.call('DELETE', `/v2/pools/${pool}/nameservers/${proof.id}`)
  await world.becomes(zone)
  const by = await world.serversBecome(pool, (shown) => shown.servers[0]?.id === target && shown.status === 'ACTIVE')
  equal(by.servers[0]!.zones_behind, 0)
})

test('[W79] a key that is given another secret is given to the servers that are told of keys, and zones go on', async () => {
  const pool = await world.newPool('keys that change')
  const own = { ...key, name: 'changing-key', scope: 'POOL', resource_id: pool }
  const { id } = await world.call<{ id: string }>('POST', '/v2/tsigkeys', own)
  await give(pool, 'knot', knot, { tsigkey_id: id })
  const zone = await world.becomes(await newZoneIn(pool, 'rekeyed.example.org.'))
  const secret = Buffer.from('another key of transfers, in it.').toString('base64')
  await world.call('PATCH', `/v2/tsigkeys/${id}`, { secret })
  await world.newSet(zone, `www.${zone.name}`, ['192.0.2.1'])
  const { serial } = await world.becomes(zone)
  await shows(knot, zone.name, serial)
  await world.serversBecome(pool, ({ status }) => status === 'ACTIVE')
  const { findings } = await world.check(pool, 'reach')
  deepEqual(
    findings.filter(({ level }) => level === 'error'),
    [],
  )
  const began = performance.now()
  await world.call('DELETE', `/v2/zones/${zone.id}`)
  await world.leaves(zone)
  ok(performance.now() - began < 60_000, 'by proof, and not by the end of the grace')
})
