import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { timestamp } from '../../src/clock.ts'
import { sql } from '../../src/db/sql.ts'
import { defaultPoolId } from '../../src/resources/pools/fields.ts'
import type { NewStore, Page, Shown } from '../support/api.ts'
import { type PoolsApi, startPoolsApi } from '../support/pools-api.ts'
import type { ShownZone } from '../support/zones-api.ts'

const idOf = (pool: string): string => pool.split('/').at(-1)!
const at = (secondsAgo: number): string => timestamp(new Date(Date.now() - secondsAgo * 1000))

type Server = { readonly [field: string]: unknown }
type Servers = {
  readonly status: string
  readonly servers: readonly Server[]
  readonly targets: readonly Server[]
  readonly [field: string]: unknown
}

const masters = [{ host: '192.0.2.1', port: 5354 }]
const pdns = { type: 'pdns4', masters, options: { api_endpoint: 'http://127.0.0.1:8081', api_token: 'hidden-token' } }

/** The rules of what is seen of a pool's servers and of zones at them. */
export function poolServerRules(engine: string, newStore: NewStore): void {
  describe(`what is seen of servers on ${engine}`, () => {
    let api: PoolsApi
    before(async () => {
      api = await startPoolsApi(newStore)
    })
    after(() => api.close())

    let zones = 0
    const zoneIn = (pool: string): Promise<ShownZone> => {
      zones += 1
      return api.newZone(`w${zones}-${engine.toLowerCase()}.example.org.`, { attributes: { pool_id: idOf(pool) } })
    }
    const see = (pool: string, server: Shown, status: string, error: string | null = null) =>
      api.db.write((tx) =>
        tx.run(sql`
          insert into pool_server_states (server_id, pool_id, status, since, seen_at, error)
          values (${server.id}, ${idOf(pool)}, ${status}, ${at(60)}, ${at(1)}, ${error})
          on conflict (server_id) do update set status = excluded.status`),
      )
    const seeZone = (zone: ShownZone, server: Shown, serial: number | null, seenAt: string | null = at(5)) =>
      api.db.write((tx) =>
        tx.run(sql`
          insert into zone_servers (zone_id, server_id, serial, seen_at, error, error_at)
          values (${zone.id}, ${server.id}, ${serial}, ${seenAt}, ${serial === null ? 'REFUSED' : null},
            ${serial === null ? at(5) : null})
          on conflict (zone_id, server_id) do update set serial = excluded.serial, seen_at = excluded.seen_at`),
      )
    const serversOf = async (path: string) => (await api.get<Servers>(`${path}/servers`)).body
    const only = (row: Server, ...names: string[]) => names.map((name) => row[name])

    test('[W14] a pool without others has the built-in server', async () => {
      const pool = await api.newPool()
      const builtIn = { id: null, role: 'built-in', type: null, host: null, port: null, status: 'UP', since: null }
      const one = { ...builtIn, seen_at: null, zones_behind: 0, error: null }
      const view = { pool_id: idOf(pool), status: 'ACTIVE', delivered_by: null, servers: [one], targets: [] }
      deepEqual(await serversOf(pool), view)
      deepEqual(await serversOf(pool.replace('/v2', '/openstack/v2')), view)
      await zoneIn(pool)
      equal((await serversOf(pool)).servers[0]!.zones_behind, 1)
      await api.publish()
      equal((await serversOf(pool)).servers[0]!.zones_behind, 0)
    })

    test('[W14] targets stand for themselves until there are nameservers', async () => {
      const pool = await api.newPool()
      const options = { host: '192.0.2.7' }
      const target = await api.add(pool, 'targets', { type: 'nsd4', options })
      const [shown] = (await serversOf(pool)).servers
      deepEqual(only(shown!, 'id', 'role', 'type', 'host', 'port', 'status'), [
        target.id,
        'target',
        'nsd4',
        '192.0.2.7',
        53,
        'UNKNOWN',
      ])
      deepEqual((await serversOf(pool)).targets, [])
      const server = await api.add(pool, 'nameservers', { host: '192.0.2.8', port: 5300 })
      const { servers, targets } = await serversOf(pool)
      equal(servers.length, 1)
      const unknown = { status: 'UNKNOWN', since: null, error: null }
      deepEqual(targets, [{ id: target.id, type: 'nsd4', host: '192.0.2.7', port: 53, ...unknown }])
      deepEqual(only(servers[0]!, 'id', 'role', 'type', 'host', 'port'), [
        server.id,
        'nameserver',
        null,
        '192.0.2.8',
        5300,
      ])
    })

    test('[W14] the status of a pool follows its servers and its threshold', async () => {
      const pool = await api.newPool()
      const servers = []
      for (const i of [1, 2, 3]) servers.push(await api.add(pool, 'nameservers', { host: `192.0.2.${i}` }))
      const status = async () => (await serversOf(pool)).status
      equal(await status(), 'ERROR')
      for (const server of servers) await see(pool, server, 'UP')
      equal(await status(), 'ACTIVE')
      await see(pool, servers[2]!, 'DOWN')
      equal(await status(), 'ERROR')
      await api.patch(`${pool}/delivery`, { threshold_percentage: 66 })
      equal(await status(), 'DEGRADED')
      await see(pool, servers[1]!, 'UNKNOWN')
      equal(await status(), 'ERROR')
      await api.patch(`${pool}/delivery`, { threshold_percentage: 1 })
      equal(await status(), 'DEGRADED')
      await see(pool, servers[0]!, 'DOWN')
      equal(await status(), 'ERROR')
    })

    test('[W14] a target that cannot be given zones makes a pool DEGRADED whose name servers are up', async () => {
      const pool = await api.newPool()
      const target = await api.add(pool, 'targets', { type: 'nsd4' })
      const follower = await api.add(pool, 'targets', { type: 'catalog' })
      await see(pool, await api.add(pool, 'nameservers', { host: '192.0.2.1' }), 'UP')
      equal((await serversOf(pool)).status, 'ACTIVE')
      await see(pool, target, 'DOWN', 'no key')
      await see(pool, follower, 'DOWN', 'not its own')
      const { status, targets } = await serversOf(pool)
      deepEqual(
        [status, ...targets.map((one) => only(one, 'id', 'status', 'error'))],
        ['DEGRADED', [target.id, 'DOWN', 'no key']],
      )
      await see(pool, target, 'UP')
      equal((await serversOf(pool)).status, 'ACTIVE')
    })

    test('[W14] a server shows since when it is as it is, what is wrong, and how many zones it lacks', async () => {
      const pool = await api.newPool()
      const server = await api.add(pool, 'nameservers', { host: '192.0.2.1' })
      await see(pool, server, 'DOWN', 'timed out')
      const [current, behind, missing] = [await zoneIn(pool), await zoneIn(pool), await zoneIn(pool)]
      await zoneIn(pool)
      await seeZone(current!, server, current!.serial)
      await seeZone(behind!, server, behind!.serial - 1)
      await seeZone(missing!, server, null)
      await seeZone(await zoneIn(pool), server, missing!.serial + 100)
      const [shown] = (await serversOf(pool)).servers
      deepEqual(only(shown!, 'status', 'error', 'zones_behind'), ['DOWN', 'timed out', 4])
      ok(typeof shown!.since === 'string' && typeof shown!.seen_at === 'string')
    })

    test('[W14] no server lacks a secondary zone that its masters have not sent yet', async () => {
      const pool = await api.newPool()
      await api.add(pool, 'nameservers', { host: '192.0.2.1' })
      const behind = async () => (await serversOf(pool)).servers[0]!.zones_behind
      const more = { type: 'SECONDARY', email: undefined, masters: ['192.0.2.9'], attributes: { pool_id: idOf(pool) } }
      const zone = await api.newZone(`taken-${engine.toLowerCase()}.example.org.`, more)
      equal(await behind(), 0)
      await api.db.write((tx) => tx.run(sql`update zones set transferred_at = ${at(1)} where id = ${zone.id}`))
      equal(await behind(), 1)
    })

    test('[W96] zones are not given again for what they do not go by: a description, or the same once more', async () => {
      const pool = await api.newPool()
      const made = await api.post(`${pool}/targets`, pdns)
      const { id } = made.body
      const path = `${pool}/targets/${id}`
      const before = await api.db.write(async (tx) => {
        const [early, late] = ['2000-01-01T00:00:00.000000', made.body.created_at as string]
        for (const [zone, at] of [
          ['early', early],
          ['late', late],
        ] as const)
          await tx.run(sql`
            insert into target_zones (target_id, zone_id, name, added_at) values (${id}, ${zone}, ${`${zone}.`}, ${at})`)
        return { early, late }
      })
      const given = async () =>
        Object.fromEntries(
          (
            await api.db.read((tx) =>
              tx.all<{ zone_id: string; added_at: string }>(sql`
                select zone_id, added_at from target_zones where target_id = ${id}`),
            )
          ).map(({ zone_id, added_at }) => [zone_id, added_at]),
        )
      const changed = async (body: object) => (await api.patch(path, body)).body.updated_at as string
      deepEqual(await given(), before)
      const named = await changed({ description: 'x' })
      deepEqual(await given(), { ...before, late: named })
      const again = await changed({ options: pdns.options, masters })
      deepEqual(await given(), { ...before, late: again })
      await changed({ options: { ...pdns.options, api_token: 'another' } })
      deepEqual(await given(), { ...before, late: again })
    })

    test('[W14] who delivers a pool is shown as long as its lease lasts', async () => {
      const pool = await api.newPool()
      const lease = (holder: string | null, until: string) =>
        api.db.write((tx) =>
          tx.run(sql`
            insert into pool_leases (pool_id, holder, until, fence) values (${idOf(pool)}, ${holder}, ${until}, 1)
            on conflict (pool_id) do update set holder = excluded.holder, until = excluded.until`),
        )
      const until = at(-60)
      await lease('host-1', until)
      deepEqual((await serversOf(pool)).delivered_by, { holder: 'host-1', until })
      await lease('host-1', at(1))
      equal((await serversOf(pool)).delivered_by, null)
      await lease(null, until)
      equal((await serversOf(pool)).delivered_by, null)
    })

    test('[W15] a zone shows what each server was last seen to have, and how far behind it is', async () => {
      const pool = await api.newPool()
      const servers = []
      for (const i of [1, 2, 3, 4]) servers.push(await api.add(pool, 'nameservers', { host: `192.0.2.${i}` }))
      await api.patch(`${pool}/delivery`, { threshold_percentage: 60 })
      const zone = await zoneIn(pool)
      const { serial } = (await api.patch<ShownZone>(`/v2/zones/${zone.id}`, { description: 'x', ttl: 77 })).body
      notEqual(serial, zone.serial)
      await api.db.write((tx) =>
        tx.run(sql`update changes set at = ${at(100)} where zone_id = ${zone.id} and serial = ${serial}`),
      )
      await seeZone(zone, servers[0]!, serial)
      await seeZone(zone, servers[1]!, zone.serial)
      await seeZone(zone, servers[2]!, null)
      const view = await serversOf(`/v2/zones/${zone.id}`)
      deepEqual(only(view, 'zone_id', 'pool_id', 'serial', 'published_serial', 'status', 'threshold'), [
        zone.id,
        idOf(pool),
        serial,
        0,
        'PENDING',
        3,
      ])
      deepEqual(
        view.servers.map((row) => only(row, 'id', 'role', 'host', 'port', 'serial', 'status')),
        [
          [servers[0]!.id, 'nameserver', '192.0.2.1', 53, serial, 'CURRENT'],
          [servers[1]!.id, 'nameserver', '192.0.2.2', 53, zone.serial, 'BEHIND'],
          [servers[2]!.id, 'nameserver', '192.0.2.3', 53, null, 'MISSING'],
          [servers[3]!.id, 'nameserver', '192.0.2.4', 53, null, 'UNKNOWN'],
        ],
      )
      const [current, behind, missing, unknown] = view.servers.map(({ lag_seconds }) => lag_seconds as number | null)
      deepEqual([current, unknown], [0, null])
      ok(behind! >= 100 && behind! < 200, String(behind))
      ok(missing! >= 0 && missing! < 60, String(missing))
      deepEqual(only(view.servers[2]!, 'error'), ['REFUSED'])
      ok(view.servers[2]!.error_at)
    })

    test('[W15] a server that shows a newer serial than ours does not have the zone as it is', async () => {
      const pool = await api.newPool()
      const server = await api.add(pool, 'nameservers', { host: '192.0.2.1' })
      const zone = await zoneIn(pool)
      await seeZone(zone, server, zone.serial + 100)
      const [shown] = (await serversOf(`/v2/zones/${zone.id}`)).servers
      deepEqual(only(shown!, 'status', 'serial', 'lag_seconds'), ['BEHIND', zone.serial + 100, null])
    })

    test('[W15] whoever sees a zone sees its servers, and nobody else', async () => {
      const zone = await api.newZone(`w15-${engine.toLowerCase()}.example.org.`)
      const path = `/v2/zones/${zone.id}`
      const { servers, threshold } = await serversOf(path)
      equal(threshold, 1)
      deepEqual(only(servers[0]!, 'id', 'role', 'serial', 'status', 'seen_at'), [
        null,
        'built-in',
        null,
        'MISSING',
        null,
      ])
      await api.publish()
      const published = (await serversOf(path)).servers[0]!
      deepEqual(only(published, 'serial', 'status', 'lag_seconds'), [zone.serial, 'CURRENT', 0])
      const other = { 'X-Auth-Project-ID': 'sharee', 'X-Roles': 'reader' }
      deepEqual((await api.refused('GET', `${path}/servers`, undefined, other)).slice(0, 2), [404, 'zone_not_found'])
      equal((await api.post(`${path}/shares`, { target_project_id: 'sharee' })).status, 201)
      equal((await api.get(`${path}/servers`, other)).status, 200)
      equal((await api.get(`/openstack${path}/servers`, other)).status, 200)
    })

    test('[W16] a zone in ERROR says why, by itself and in lists, to all who see it; others have no such key', async () => {
      const [good, bad] = [
        await api.newZone(`w16-good-${engine.toLowerCase()}.example.org.`),
        await api.newZone(`w16-bad-${engine.toLowerCase()}.example.org.`),
      ]
      equal((await api.post(`/v2/zones/${bad.id}/shares`, { target_project_id: 'w16' })).status, 201)
      const trouble = (reason: string | null) =>
        api.db.write((tx) => tx.run(sql`update zones set trouble = ${reason} where id = ${bad.id}`))
      await trouble('192.0.2.1 says "REFUSED"')
      for (const headers of [{}, { 'X-Auth-Project-ID': 'w16' }, { 'X-Auth-All-Projects': 'true' }] as Record<
        string,
        string
      >[]) {
        for (const mount of ['/v2', '/openstack/v2']) {
          const { body } = await api.get(`${mount}/zones/${bad.id}`, headers)
          deepEqual([body.status, body.status_reason], ['ERROR', '192.0.2.1 says "REFUSED"'])
          const rows = (await api.get<Page>(`${mount}/zones?name=w16*`, headers)).body.zones!
          deepEqual(
            rows.find(({ id }) => id === bad.id),
            body,
          )
          for (const row of rows) equal('status_reason' in row, row.id === bad.id)
        }
      }
      equal('status_reason' in (await api.get(`/v2/zones/${good.id}`)).body, false)
      equal('status_reason' in good, false)
    })

    test('[W16] a reason that changes is no edit of the zone, and another version of it', async () => {
      const zone = await api.newZone(`w16-etag-${engine.toLowerCase()}.example.org.`)
      const path = `/v2/zones/${zone.id}`
      const trouble = (reason: string | null) =>
        api.db.write((tx) => tx.run(sql`update zones set trouble = ${reason} where id = ${zone.id}`))
      await trouble('first')
      const { body, headers } = await api.get(path)
      const tag = headers.get('ETag')!
      equal((await api.get(path, { 'If-None-Match': tag })).status, 304)
      await trouble('second')
      equal((await api.get(path, { 'If-None-Match': tag })).status, 200)
      const changed = await api.patch(path, { ...body, description: 'a' }, { 'If-Match': tag })
      equal(changed.status, 202, changed.text)
      const { body: seen } = await api.get(path)
      await trouble(null)
      equal((await api.patch(path, { ...seen, description: 'b' })).status, 202)
      deepEqual(await api.faults('PATCH', path, { status_reason: 'x' }), [400, 'invalid_object', ['status_reason']])
      deepEqual((await api.faults('POST', '/v2/zones', { name: 'x.org.', email: 'a@x.org', status_reason: 'x' }))[2], [
        'status_reason',
      ])
    })

    test('[W18] what was seen of a server goes with it, and with its address', async () => {
      const pool = await api.newPool()
      const zone = await zoneIn(pool)
      const rows = async (id: string) =>
        api.db.read(async (tx) => [
          (await tx.all(sql`select 1 as one from pool_server_states where server_id = ${id}`)).length,
          (await tx.all(sql`select 1 as one from zone_servers where server_id = ${id}`)).length,
        ])
      for (const [collection, body, same, moved] of [
        ['targets', { options: { port: 54 } }, { description: 'x', options: { port: 54 } }, { options: { port: 55 } }],
        ['nameservers', { host: '192.0.2.1' }, { port: 53 }, { port: 54 }],
      ] as const) {
        const server = await api.add(pool, collection, body)
        const path = `${pool}/${collection}/${server.id}`
        const seen = async () => {
          await see(pool, server, 'UP')
          await seeZone(zone, server, zone.serial)
        }
        await seen()
        await api.patch(path, same)
        deepEqual(await rows(server.id), [1, 1])
        await api.patch(path, moved)
        deepEqual(await rows(server.id), [0, 0])
        await seen()
        equal((await api.delete(path)).status, 204)
        deepEqual(await rows(server.id), [0, 0])
      }
    })

    test('[W18] a deleted pool leaves nothing of its servers', async () => {
      const pool = await api.newPool()
      const zone = await zoneIn(`/v2/pools/${defaultPoolId}`)
      const servers = [await api.add(pool, 'targets'), await api.add(pool, 'nameservers', { host: '192.0.2.1' })]
      await api.add(pool, 'also_notifies', { host: '192.0.2.1' })
      await api.post(`${pool}/checks`, {})
      await api.patch(`${pool}/delivery`, {
        catalog_zone: { catalog_zone_fqdn: `w18.${engine.toLowerCase()}.invalid.`, catalog_zone_tsig_key: 'c2VjcmV0' },
      })
      for (const server of servers) {
        await see(pool, server, 'UP')
        await seeZone(zone, server, 1)
      }
      equal((await api.delete(pool)).status, 204)
      const left = await api.db.read(async (tx) => {
        const ids = [idOf(pool), ...servers.map(({ id }) => id)]
        const found: string[] = []
        for (const id of ids) {
          for (const [table, column] of tables) {
            const query = `select 1 as one from ${table} where ${column} = '${id}'`
            if ((await tx.all({ sql: query, text: query, values: [] })).length > 0) found.push(table!)
          }
        }
        return found
      })
      deepEqual(left, [])
    })
  })
}

const tables = [
  ['pool_targets', 'pool_id'],
  ['pool_nameservers', 'pool_id'],
  ['pool_also_notifies', 'pool_id'],
  ['pool_delivery', 'pool_id'],
  ['pool_server_states', 'pool_id'],
  ['pool_checks', 'pool_id'],
  ['zone_servers', 'server_id'],
  ['tsigkeys', 'resource_id'],
]
