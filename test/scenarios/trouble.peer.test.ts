import { deepEqual, equal, match } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { DeliveryTarget } from '../support/targets.ts'
import { startBindTarget } from '../support/targets-bind9.ts'
import { startKnotTarget } from '../support/targets-knot.ts'
import { type ShownServers, shows, startWorld, type World } from './world.ts'

type WithTargets = ShownServers & {
  readonly targets: readonly { readonly id: string; readonly status: string; readonly error: string | null }[]
}

let world: World
let bind: DeliveryTarget
let target: string

before(async () => {
  // Not the address that servers are told to take zones from.
  world = await startWorld({
    NAMEPLANE_DNS_SOURCE: '127.0.0.77',
    NAMEPLANE_SCHEDULER_FILTERS: 'pool_id_attribute,in_doubt_default_pool',
  })
  bind = world.watch(await startBindTarget())
  const masters = [{ host: '127.0.0.1', port: world.service.dnsPort }]
  const body = { type: 'bind9', options: bind.options, masters }
  target = (await world.call<{ id: string }>('POST', `/v2/pools/${world.pool}/targets`, body)).id
})
after(async () => {
  await bind?.stop()
  await world?.stop()
})

test('[W95] that a server refuses NOTIFY is told of the zone, of the pool and by a check, until it does not', async () => {
  const zone = await world.becomes(await world.newZone('unheard.example.org.'))
  await world.newSet(zone, `www.${zone.name}`, ['192.0.2.1'])
  const told = /refuses NOTIFY from us \(REFUSED\)/
  const shown = await world.serversBecome(world.pool, ({ servers: [only] }) => told.test(only?.error ?? ''))
  deepEqual([shown.servers[0]!.status, shown.servers[0]!.zones_behind], ['UP', 1])
  const { servers } = await world.call<ShownServers>('GET', `/v2/zones/${zone.id}/servers`)
  match(servers[0]!.error!, told)
  const { findings } = await world.check(world.pool, 'reach')
  const found = findings.filter(({ level }) => level === 'error')
  equal(found.length, 1)
  match(found[0]!.what, told)
  match(found[0]!.mend!, /dns_source/)

  // BIND takes NOTIFY from whoever is a primary of the zone.
  const masters = ['127.0.0.1', '127.0.0.77'].map((host) => ({ host, port: world.service.dnsPort }))
  await world.call('PATCH', `/v2/pools/${world.pool}/targets/${target}`, { masters })
  const { serial } = await world.becomes(zone)
  await shows(bind, zone.name, serial)
  await world.serversBecome(world.pool, ({ servers: [only] }) => only?.error === null && only.zones_behind === 0)
})

test('[W79] where name servers stand for a pool, a target that cannot be spoken to is told beside them', async () => {
  await world.call('POST', `/v2/pools/${world.pool}/nameservers`, { host: '127.0.0.1', port: bind.port })
  const path = `/v2/pools/${world.pool}/targets/${target}`
  const wrong = Buffer.from('another key').toString('base64')
  await world.call('PATCH', path, { options: { ...bind.options, rndc_key_secret: wrong } })
  const zone = await world.newZone('kept-out.example.org.')
  const shown = (await world.serversBecome(world.pool, ({ status }) => status === 'DEGRADED')) as WithTargets
  deepEqual([shown.servers[0]!.status, shown.targets[0]!.id, shown.targets[0]!.status], ['UP', target, 'DOWN'])
  match(shown.targets[0]!.error!, /key/)
  await world.call('PATCH', path, { options: bind.options })
  await world.becomes(zone)
  const well = (await world.serversBecome(world.pool, ({ status }) => status === 'ACTIVE')) as WithTargets
  deepEqual(
    well.targets.map(({ error }) => error),
    [null],
  )
})

test('[W83] [W84] an audit tells of a zone that moves as that, and not of one that has no content yet', async () => {
  const knot = world.watch(await startKnotTarget())
  try {
    const [from, to] = [await world.newPool('from'), await world.newPool('to')]
    const masters = ['127.0.0.1', '127.0.0.77'].map((host) => ({ host, port: world.service.dnsPort }))
    await world.call('POST', `/v2/pools/${from}/targets`, { type: 'knot', options: knot.options, masters })
    // Nobody is there, so nothing is proven: the zone stays where it was.
    await world.call('POST', `/v2/pools/${to}/nameservers`, { host: '127.0.0.1', port: 1 })
    const within = { attributes: { pool_id: from } }
    const zone = await world.becomes(await world.newZone('moving.example.org.', within))
    const master = { type: 'SECONDARY', email: undefined, masters: ['127.0.0.1:1'] }
    await world.newZone('empty.example.org.', { ...within, ...master })
    for (const depth of ['serials', 'content']) deepEqual((await world.check(from, depth)).findings, [], depth)
    await world.call('POST', `/v2/zones/${zone.id}/tasks/pool_move`, { pool_id: to })
    const { findings } = await world.check(from, 'serials')
    deepEqual(
      findings.map(({ zone, level }) => [zone, level]),
      [[zone.name, 'warning']],
    )
    match(findings[0]!.what, /moves to another pool/)
  } finally {
    await knot.stop()
  }
})
