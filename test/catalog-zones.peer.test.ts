import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bindCatalogOptions, bindCatalogZone } from '../src/backends/catalog-recipes.ts'
import { type CatalogZone, changeMembers, ensureCatalog } from '../src/backends/catalog-zone.ts'
import { catalog as kind } from '../src/backends/kinds/catalog.ts'
import { Exchange } from '../src/exchange/exchange.ts'
import { askAll } from './support/dns-client.ts'
import { freePort } from './support/port.ts'
import { type Served, startServed, takeTransfer, until } from './support/served.ts'
import { type DeliveryTarget, serialOf, targetOf } from './support/targets.ts'
import { startBindCatalog, startKnotCatalog, startPdnsCatalog } from './support/targets-catalog.ts'
import type { ShownZone } from './support/zones-api.ts'

const [SOA, patience] = [6, 30_000]
const key = {
  name: 'catalog-key',
  algorithm: 'hmac-sha256',
  secret: Buffer.from('the secret of a catalog').toString('base64'),
}
const tsig = { name: 'catalog-key.', algorithm: 'hmac-sha256', secret: Buffer.from(key.secret, 'base64') } as const
const admin = { 'X-Auth-All-Projects': 'true' }

let served: Served
let closed: CatalogZone
let open: CatalogZone
const servers = new Map<'named' | 'knotd' | 'pdns', DeliveryTarget>()

before(async () => {
  // The presets of the service.
  const tcp = { connections: 10_000, connectionsPerClient: 200, idle: 10, stalled: 5 }
  served = await startServed({ keeper: { tcp } })
  await served.api.patch('/v2/quotas/noauth-project', { zones: 2000 }, admin)
  closed = await newCatalog('closed', { addresses: ['127.0.0.1'], require_key: true })
  open = await newCatalog('open', { addresses: ['127.0.0.1'] })
  const made = { ...key, name: tsig.name, scope: 'POOL', resource_id: closed.pool_id }
  equal((await served.api.post('/v2/tsigkeys', made)).status, 201)
  ok(await until(async () => (await takeTransfer(served.port(), closed.name, { key: tsig })).rcode === 0))
  ok(await until(async () => (await takeTransfer(served.port(), open.name)).rcode === 0))
  const from = { host: '127.0.0.1', port: served.port() }
  const starts = [
    async () =>
      servers.set('named', await startBindCatalog({ catalog: closed.name, primary: from, key }, { args: ['-d', '3'] })),
    async () => servers.set('knotd', await startKnotCatalog({ catalog: closed.name, primary: from, key })),
    async () => servers.set('pdns', await startPdnsCatalog({ catalog: open.name, primary: from })),
  ]
  const started = await Promise.allSettled(starts.map((start) => start()))
  for (const one of started) if (one.status === 'rejected') throw one.reason
})
after(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()))
  await served.close()
})

test('[W64] BIND, Knot and PowerDNS serve what a catalog lists, with its content, and no more what it does not', async () => {
  const { api } = served
  for (const [name, server] of servers) {
    const at = name === 'pdns' ? open : closed
    const zone = await newZone(`one.${name}.example.`, at)
    await change(at, { add: [zone], drop: [] })
    ok(await servedBy(server, zone.name), `${name}: ${server.log().slice(-3000)}`)
    const { serial } = (await api.get<ShownZone>(`/v2/zones/${zone.id}`, admin)).body
    equal(await serialOf(server.port, zone.name), serial, name)
    await change(at, { add: [], drop: [zone] })
    ok(await until(async () => (await serialOf(server.port, zone.name)) === undefined, patience), name)
  }
})

test('[W64] a zone that was made anew under its name is another one for its servers', async () => {
  const { api } = served
  for (const [name, server] of servers) {
    const at = name === 'pdns' ? open : closed
    const old = await newZone(`again.${name}.example.`, at)
    await api.newSet(old, `old.${old.name}`, 'A', ['192.0.2.1'])
    await change(at, { add: [old], drop: [] })
    const answersFor = async (label: string) =>
      (await askAll(server.port, [{ name: `${label}.${old.name}`, type: 1, class: 1 }]))[0]!.answer.length === 1
    ok(await until(() => answersFor('old'), patience), name)
    equal((await api.delete(`/v2/zones/${old.id}`)).status, 202)
    const fresh = await newZone(old.name, at)
    await api.newSet(fresh, `new.${old.name}`, 'A', ['192.0.2.2'])
    await change(at, { add: [fresh], drop: [old] })
    ok(await until(() => answersFor('new'), patience), `${name}: ${server.log().slice(-3000)}`)
    ok(!(await answersFor('old')), name)
    await change(at, { add: [], drop: [fresh] })
  }
})

test('[W64] hundreds of zones are listed at once, served by BIND and Knot, and leave them at once', async (t) => {
  const followers = [servers.get('named')!, servers.get('knotd')!]
  const zones: ShownZone[] = []
  let next = 0
  const work = async () => {
    for (let i = next++; i < 300; i = next++) zones.push(await newZone(`m${i}.many.example.`, closed))
  }
  await Promise.all(Array.from({ length: 8 }, work))
  await change(closed, { add: zones, drop: [] })
  const began = performance.now()
  const all = await Promise.all(
    followers.map(async ({ port }) => {
      const isAll = await allAre(port, zones, 1)
      return [isAll, Math.round(performance.now() - began)] as const
    }),
  )
  t.diagnostic(`all served ${all.map(([, took]) => took).join(' and ')} ms after NOTIFY`)
  deepEqual(
    all.map(([isAll]) => isAll),
    [true, true],
  )

  const more = await newZone('more.many.example.', closed)
  const before = followers.map((server) => server.log().length)
  await change(closed, { add: [more], drop: [zones[0]!] })
  for (const [i, { port, log }] of followers.entries()) {
    ok(await servedBy({ port }, more.name))
    ok(await until(async () => (await serialOf(port, zones[0]!.name)) === undefined, patience))
    // [W58] What came was the change, not the catalog.
    match(
      log().slice(before[i]),
      i === 0 ? incrementalAtBind : /\[closed\.catalog\.invalid\.\] IXFR, incoming.*finished/,
    )
  }
  await change(closed, { add: [], drop: [...zones, more] })
  for (const { port } of followers) ok(await allAre(port, zones, 0))
})

const incrementalAtBind = /'closed\.catalog\.invalid\/IN' from .*got incremental response/

test('[W63] a check tells whether a server has the catalog as it is, and how to mend it where it has not', async () => {
  const named = servers.get('named')!
  const serial = (await serialOf(served.port(), closed.name))!
  ok(await until(async () => (await serialOf(named.port, closed.name)) === serial, patience))
  const check = (options: object, secret = key.secret) => {
    const target = targetOf('catalog', { ...named.options, ...options }, { key: { ...key, name: tsig.name, secret } })
    const driver = kind.open(target)
    return driver.check(new AbortController().signal)
  }
  const catalog_zone = closed.name
  const told = async (...given: Parameters<typeof check>) => {
    const [finding, ...more] = await check(...given)
    deepEqual(more, [])
    return [finding!.level, finding!.what, finding!.mend ?? ''] as const
  }
  deepEqual(await told({ catalog_zone, catalog_serial: serial }), [
    'ok',
    `the catalog zone ${closed.name} is there, at ${serial}`,
    '',
  ])
  const [behind, what] = await told({ catalog_zone, catalog_serial: serial + 1 })
  deepEqual(
    [behind, what],
    ['warning', `the catalog zone ${closed.name} is at ${serial} there, and ${serial + 1} here`],
  )
  const [absent, , mend] = await told({ catalog_zone: 'other.invalid.', catalog_serial: 1 })
  equal(absent, 'error')
  for (const line of [
    'min-update-interval 0',
    'catalog-role: interpret',
    'pdnsutil set-kind other.invalid consumer',
    'catalog: consumer',
  ])
    ok(mend.includes(line), line)
  ok(!mend.includes(key.secret))
  const [refused, why, keyMend] = await told(
    { catalog_zone, catalog_serial: 1 },
    Buffer.from('other').toString('base64'),
  )
  equal(refused, 'error')
  match(why, /BADSIG/)
  match(keyMend, /catalog-key/)
  const [away, nobody] = await told({ catalog_zone, catalog_serial: 1, port: await freePort() })
  equal(away, 'error')
  match(nobody, /nothing listens there/)
  equal((await told({}))[0], 'warning')
})

test('[W64] a zone that goes over to another catalog stays served by a BIND that follows both', async () => {
  const primary = { host: '127.0.0.1', port: served.port() }
  const second = { catalog: open.name, primary }
  const [entry] = /zone .*?;\n(?= {2}\};)/s.exec(bindCatalogOptions(second))!
  const both = (config: string) =>
    `${config.replace('catalog-zones {', `catalog-zones {\n    ${entry}`)}${bindCatalogZone(second)}`
  const server = await startBindCatalog({ catalog: closed.name, primary, key }, { change: both })
  try {
    const zone = await newZone('moves.example.', closed)
    await change(closed, { add: [zone], drop: [] })
    const tell = async () => {
      for (const [catalog, signed] of [[closed, tsig] as const, [open, undefined] as const]) {
        const exchange = new Exchange({ host: '127.0.0.1', port: server.port, key: signed })
        await exchange.notify(catalog.name, undefined, 5000)
        exchange.close()
        const wanted = await serialOf(served.port(), catalog.name)
        ok(await until(async () => (await serialOf(server.port, catalog.name)) === wanted, patience))
      }
    }
    await tell()
    ok(await servedBy(server, zone.name))
    equal((await served.api.post(`/v2/zones/${zone.id}/tasks/pool_move`, { pool_id: open.pool_id })).status, 202)
    await change(closed, { add: [{ ...zone, newCatalog: open.name }], drop: [] })
    await tell()
    await change(open, { add: [zone], drop: [] })
    await tell()
    await change(closed, { add: [], drop: [zone] })
    await tell()
    const isGone = async () => (await serialOf(server.port, zone.name)) === undefined
    ok(!(await until(isGone, 500)), server.log().slice(-3000))
    await change(open, { add: [], drop: [zone] })
    await tell()
    ok(await until(isGone, patience))
  } finally {
    await server.stop()
  }
})

test('[W64] BIND and Knot know after a restart what was listed, also while we are away', async () => {
  const zone = await newZone('stays.example.', closed)
  await change(closed, { add: [zone], drop: [] })
  const followers = [servers.get('named')!, servers.get('knotd')!]
  for (const server of followers) ok(await servedBy(server, zone.name))
  await served.stop()
  for (const server of followers) {
    await server.halt()
    await server.resume()
    ok(await servedBy(server, zone.name), server.log().slice(-3000))
  }
})

/** A catalog of a pool of its own, whose zones are given to some. */
async function newCatalog(name: string, transfers: object): Promise<CatalogZone> {
  const { api } = served
  const ns_records = [{ hostname: 'ns1.nameplane.test.', priority: 1 }]
  const { body } = await api.post('/v2/pools', { name, ns_records })
  equal((await api.patch(`/v2/pools/${body.id}/transfers`, transfers)).status, 200)
  return ensureCatalog(api.db, { id: body.id, name }, null, new Date())
}

async function newZone(name: string, { pool_id }: CatalogZone): Promise<ShownZone> {
  const zone = await served.api.newZone(name)
  const moved = await served.api.post(`/v2/zones/${zone.id}/tasks/pool_move`, { pool_id })
  equal(moved.status, 202, moved.text)
  return zone
}

type Wanted = Parameters<typeof changeMembers>[2]

/** Changes what is listed and tells the servers, as whoever delivers does. */
async function change(catalog: CatalogZone, { add, drop }: Wanted): Promise<void> {
  const { api } = served
  for (const zone of add) {
    const isCurrent = async () => {
      const there = (await api.get<ShownZone>(`/v2/zones/${zone.id}`, admin)).body
      return there.status === 'ACTIVE'
    }
    ok(await until(isCurrent, patience), zone.name)
  }
  const serial = await changeMembers(api.db, catalog, { add, drop }, new Date(), async () => {})
  ok(await until(async () => (await serialOf(served.port(), catalog.name)) === serial))
  for (const [name, { port }] of servers) {
    if ((name === 'pdns') !== (catalog === open)) continue
    const exchange = new Exchange({ host: '127.0.0.1', port, key: name === 'pdns' ? undefined : tsig })
    equal(await exchange.notify(catalog.name, undefined, 5000), 0, name)
    exchange.close()
  }
}

/** Waits until a server answers with as many SOAs for each of these zones; asks again only for those it has not yet. */
function allAre(port: number, zones: readonly ShownZone[], soas: number): Promise<boolean> {
  let left = zones.map(({ name }) => ({ name, type: SOA, class: 1 }))
  return until(async () => {
    const replies = await askAll(port, left.slice(0, 100))
    left = [...left.slice(0, 100).filter((_, i) => replies[i]!.answer.length !== soas), ...left.slice(100)]
    return left.length === 0
  }, 2 * patience)
}

const servedBy = ({ port }: { readonly port: number }, zone: string): Promise<boolean> =>
  until(async () => (await serialOf(port, zone)) !== undefined, patience)
