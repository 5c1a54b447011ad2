import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import pino from 'pino'
import { sqliteStore } from '../../test/support/api.ts'
import { until } from '../../test/support/served.ts'
import { startZonesApi, type ZonesApi } from '../../test/support/zones-api.ts'
import { type Database, DatabaseUnavailable, sql } from '../db/sql.ts'
import { ArenaWriter } from './arena/writer.ts'
import { Loader, type Served } from './load.ts'

let api: ZonesApi
before(async () => {
  api = await startZonesApi(sqliteStore)
})
after(() => api.close())

describe('a loader', () => {
  let writer: ArenaWriter
  let loader: Loader
  let told: Served[]
  const make = (db: Database = api.db) => {
    writer = new ArenaWriter()
    told = []
    loader = new Loader({ db, holder: writer, log: pino({ level: 'silent' }), onServed: (served) => told.push(served) })
  }
  beforeEach(() => make())
  afterEach(() => loader.stop())

  const serialOf = async ({ id }: { id: string }) =>
    (await api.db.read((tx) => tx.get<{ serial: number }>(sql`select serial from zones where id = ${id}`)))!.serial
  const rowOf = async ({ id }: { id: string }) =>
    (await api.db.read((tx) =>
      tx.get<Parameters<Loader['refresh']>[0][number]>(sql`
        select id, name, serial, deleted_at, gone_at, expired_at, changed_at from zones where id = ${id}`),
    ))!
  const loadAll = async () => {
    await loader.nameAll()
    await loader.loadAll()
  }
  const published = () => told.flatMap(({ published }) => published.map(({ id }) => id))

  test('[S79] everything is known by name at once and read afterwards; what is asked for is read first', async () => {
    const zone = await api.newZone('first.example.')
    await api.publish()
    await loader.nameAll()
    equal(writer.stateOf(zone.id)?.state, 'awaited')
    loader.want([zone.id])
    ok(await until(() => writer.stateOf(zone.id)?.state === 'ready'))
    await loader.loadAll()
    equal(writer.stateOf(zone.id)?.serial, await serialOf(zone))
    deepEqual(published(), [])
  })

  test('[S76] what was not published before is told to be served, once it is', async () => {
    await api.publish()
    const zone = await api.newZone('pending.example.')
    await loadAll()
    ok(await until(() => published().includes(zone.id)))
    await api.newSet(zone, 'a.pending.example.', 'A', ['192.0.2.1'])
    equal(loader.isKnown(await rowOf(zone)), false)
    await loader.refresh([await rowOf(zone)])
    deepEqual(told.at(-1)?.published, [{ id: zone.id, serial: await serialOf(zone) }])
    equal(loader.isKnown(await rowOf(zone)), true)
  })

  test('[S73] comparing everything finds what no wake and no clock led to', async () => {
    const [changed, purged, restored] = [
      await api.newZone('changed.example.'),
      await api.newZone('purged.example.'),
      await api.newZone('restored.example.'),
    ]
    await api.newSet(restored, 'a.restored.example.', 'A', ['192.0.2.1'])
    await loadAll()
    const soa = await api.db.read((tx) =>
      tx.get<{ records: string }>(sql`select records from recordsets where zone_id = ${restored.id} and type = 'SOA'`),
    )
    const before = await serialOf(restored)
    await api.newSet(restored, 'b.restored.example.', 'A', ['192.0.2.1'])
    await loader.refresh([await rowOf(restored)])
    await api.newSet(changed, 'a.changed.example.', 'A', ['192.0.2.1'])
    await api.db.write(async (tx) => {
      // A backup of the database is put back, and a zone is removed for good.
      await tx.run(sql`update zones set serial = ${before} where id = ${restored.id}`)
      await tx.run(sql`update recordsets set records = ${soa!.records} where zone_id = ${restored.id} and type = 'SOA'`)
      await tx.run(sql`delete from recordsets where zone_id = ${restored.id} and name = 'b.restored.example.'`)
      for (const table of ['recordsets', 'changes'] as const) {
        if (table === 'recordsets') await tx.run(sql`delete from recordsets where zone_id = ${purged.id}`)
        else await tx.run(sql`delete from changes where zone_id = ${purged.id}`)
      }
      await tx.run(sql`delete from zones where id = ${purged.id}`)
    })
    await loader.reconcile()
    ok(await until(async () => writer.stateOf(changed.id)?.serial === (await serialOf(changed))))
    ok(await until(() => writer.stateOf(restored.id)?.serial === before))
    equal(writer.stateOf(restored.id)?.records, 3)
    equal(writer.stateOf(purged.id), undefined)
  })

  test('[S75] a zone that failed is tried again, and recovers once it is mended', async () => {
    const zone = await api.newZone('mended.example.')
    const set = await api.newSet(zone, 'a.mended.example.', 'A', ['192.0.2.1'])
    const setRecords = (records: string) =>
      api.db.write((tx) => tx.run(sql`update recordsets set records = ${records} where id = ${set.id}`))
    await setRecords('[')
    await loadAll()
    await until(() => writer.stateOf(zone.id)?.state === 'failed')
    equal(loader.failed.get(zone.id)?.name, 'mended.example.')
    equal(published().includes(zone.id), false)
    loader.retryFailed()
    await setRecords('["192.0.2.2"]')
    loader.retryFailed()
    ok(await until(() => writer.stateOf(zone.id)?.state === 'ready'))
    equal(loader.failed.size, 0)
  })

  test('[S75] a zone whose SOA has another serial than its row fails', async () => {
    const zone = await api.newZone('serial.example.')
    await api.db.write((tx) => tx.run(sql`update zones set serial = serial + 9 where id = ${zone.id}`))
    await loadAll()
    await until(() => writer.stateOf(zone.id)?.state === 'failed')
    ok(/the SOA has serial \d+, but the zone \d+/.test(loader.failed.get(zone.id)?.reason ?? ''))
    await api.db.write((tx) => tx.run(sql`update zones set serial = serial - 9 where id = ${zone.id}`))
  })

  test('[S71] a zone that is deleted while it is read does not come back', async () => {
    const zone = await api.newZone('racing.example.')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let reading = false
    make({
      ...api.db,
      read: (work) =>
        api.db.read(async (tx) => {
          const result = await work({
            ...tx,
            get: (text) => tx.get(text),
            all: (text) => tx.all(text),
            values: async (text) => {
              const rows = await tx.values(text)
              reading = true
              await held
              return rows
            },
          } as typeof tx)
          return result
        }),
    })
    loader.want([zone.id])
    ok(await until(() => reading))
    await api.delete(`/v2/zones/${zone.id}`)
    const dropped = loader.refresh([await rowOf(zone)])
    release()
    await dropped
    await loader.stop()
    equal(writer.stateOf(zone.id), undefined)
    ok(told.some(({ gone }) => gone.includes(zone.id)))
  })

  test('[S73] reading goes on when the database is back', async () => {
    const zone = await api.newZone('back.example.')
    let failures = 3
    make({
      ...api.db,
      read: async (work) => {
        if (failures-- > 0) throw new DatabaseUnavailable(new Error('away'))
        return api.db.read(work)
      },
    })
    loader.want([zone.id])
    ok(await until(() => writer.stateOf(zone.id)?.state === 'ready'))
    ok(failures < 0)
  })

  test('[S79] a large zone is read in pieces, between which others are served, and has the changes made meanwhile', async () => {
    const large = await api.newZone('large.example.')
    const other = await api.newZone('small.example.')
    await api.db.write(async (tx) => {
      for (let i = 0; i < 5000; i++) {
        const id = `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`
        await tx.run(sql`insert into recordsets (id, zone_id, project_id, name, tree_key, type, records, managed, serial, version, created_at)
          values (${id}, ${large.id}, 'p', ${`n${i}.large.example.`}, '', 'A', '["192.0.2.1"]', 0, 1, 1, '')`)
      }
      await tx.run(sql`update zones set record_count = 5000 where id = ${large.id}`)
    })
    await loader.nameAll()
    loader.want([large.id])
    await new Promise((resolve) => setImmediate(resolve))
    equal(writer.stateOf(large.id)?.state, 'awaited')
    ok(await until(() => writer.stateOf(other.id)?.state === 'ready'))
    equal(writer.stateOf(large.id)?.state, 'awaited', 'the small one need not wait')
    await api.newSet(large, 'meanwhile.large.example.', 'A', ['192.0.2.1'])
    await loader.refresh([await rowOf(large)])
    ok(await until(async () => writer.stateOf(large.id)?.serial === (await serialOf(large))))
    equal(writer.stateOf(large.id)?.records, 5003)
  })
})
