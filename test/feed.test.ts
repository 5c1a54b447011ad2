import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../src/db/sql.ts'
import { rdataToText } from '../src/dns/rdata.ts'
import { optionOf } from './support/nameserver.ts'
import { dig, digUntil, type Served, startServed, until } from './support/served.ts'
import type { ShownSet, ShownZone } from './support/zones-api.ts'

const REFUSED = 5
const SERVFAIL = 2

for (const udp of ['auto', 'dgram'] as const) {
  describe(`what is written is served (dns_udp ${udp})`, () => {
    let served: Served
    before(async () => {
      served = await startServed({ keeper: { udp } })
    })
    after(() => served.close())

    const answers = async (name: string, type = 'A') => {
      const { rcode, answer } = await dig(served.port(), name, type)
      return rcode === 0 ? answer.map(({ type, rdata }) => rdataToText(type, rdata)) : rcode
    }
    const statusOf = async (zone: { id: string }) =>
      (await served.api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.status
    const publishedOf = (zone: { id: string }) => until(async () => (await statusOf(zone)) === 'ACTIVE')

    test('[S70] a change is served within milliseconds of its commit', async () => {
      const { api, port } = served
      const zone = await api.newZone('fresh.example.')
      equal((await digUntil(port(), ['fresh.example.', 'SOA'], ({ rcode }) => rcode === 0)).rcode, 0)
      const times: number[] = []
      for (let i = 0; i < 40; i++) {
        await api.newSet(zone, `n${i}.fresh.example.`, 'A', [`192.0.2.${i}`])
        const began = performance.now()
        const { rcode } = await digUntil(port(), [`n${i}.fresh.example.`, 'A'], (reply) => reply.rcode === 0)
        equal(rcode, 0)
        times.push(performance.now() - began)
      }
      const median = times.toSorted((a, b) => a - b)[20]!
      ok(median < 300, `the median of ${times.length} is ${median} ms`)
    })

    test('[S70] record sets that change or go, and zones that change their TTL, are served as they are', async () => {
      const { api, port } = served
      const zone = await api.newZone('change.example.')
      const set = await api.newSet(zone, 'a.change.example.', 'A', ['192.0.2.1'])
      await digUntil(port(), ['a.change.example.', 'A'], ({ rcode }) => rcode === 0)
      const path = `/v2/zones/${zone.id}/recordsets/${set.id}`
      await api.put(path, { records: ['192.0.2.2', '192.0.2.3'] })
      const two = await digUntil(port(), ['a.change.example.', 'A'], ({ answer }) => answer.length === 2)
      deepEqual(two.answer.map(({ rdata }) => rdata.at(-1)).toSorted(), [2, 3])
      await api.patch(`/v2/zones/${zone.id}`, { ttl: 77 })
      equal(
        (await digUntil(port(), ['a.change.example.', 'A'], ({ answer }) => answer[0]?.ttl === 77)).answer[0]?.ttl,
        77,
      )
      await api.delete(path)
      equal((await digUntil(port(), ['a.change.example.', 'A'], ({ rcode }) => rcode === 3)).rcode, 3)
    })

    test('[S76] what was written is told to be ACTIVE within milliseconds, and is served by then', async () => {
      const { api, port } = served
      const zone = await api.newZone('status.example.')
      const times: number[] = []
      for (let i = 0; i < 20; i++) {
        const name = `n${i}.status.example.`
        const { id } = await api.newSet(zone, name, 'A', ['192.0.2.1'])
        const began = performance.now()
        const isActive = async () =>
          (await api.get<ShownSet>(`/v2/zones/${zone.id}/recordsets/${id}`)).body.status === 'ACTIVE'
        ok(await until(isActive))
        times.push(performance.now() - began)
        equal((await dig(port(), name, 'A')).rcode, 0)
      }
      const median = times.toSorted((a, b) => a - b)[10]!
      ok(median < 300, `the median of ${times.length} is ${median} ms`)
    })

    test('[S71] a deleted zone is dropped at once and leaves the lists; its name can be used again', async () => {
      const { api, port } = served
      const zone = await api.newZone('gone.example.')
      await digUntil(port(), ['gone.example.', 'SOA'], ({ rcode }) => rcode === 0)
      await api.delete(`/v2/zones/${zone.id}`)
      const again = await api.newZone('gone.example.')
      ok(await until(async () => (await api.get(`/v2/zones/${zone.id}`)).status === 404), 'it is still listed')
      ok(await publishedOf(again))
      equal(await answers('gone.example.', 'SOA').then((found) => typeof found), 'object')
      await api.delete(`/v2/zones/${again.id}`)
      equal((await digUntil(port(), ['gone.example.', 'SOA'], ({ rcode }) => rcode === REFUSED)).rcode, REFUSED)
    })

    test('[S72] where the journal does not reach back, or a change does not fit, the zone is read anew', async () => {
      const { api, port } = served
      const zone = await api.newZone('misfit.example.')
      await api.newSet(zone, 'a.misfit.example.', 'A', ['192.0.2.1'])
      ok(await publishedOf(zone))
      for (const spoil of [
        sql`update changes set previous = 7 where zone_id = ${zone.id}`,
        sql`update changes set removed = added where zone_id = ${zone.id}`,
        sql`update changes set added = ${Uint8Array.of(63)} where zone_id = ${zone.id}`,
      ]) {
        await api.db.write(async (tx) => {
          // A change of which nobody is told before it is spoiled.
          const { serial } = (await tx.get<{ serial: number }>(sql`select serial from zones where id = ${zone.id}`))!
          const soa = (await tx.get<{ id: string; records: string }>(sql`
            select id, records from recordsets where zone_id = ${zone.id} and type = 'SOA'`))!
          await tx.run(sql`update zones set serial = ${serial + 1} where id = ${zone.id}`)
          await tx.run(
            sql`update recordsets set records = ${soa.records.replace(String(serial), String(serial + 1))} where id = ${soa.id}`,
          )
          await tx.run(sql`update recordsets set records = ${JSON.stringify([`198.51.100.${serial % 200}`])}
            where zone_id = ${zone.id} and type = 'A'`)
          await tx.run(sql`insert into changes (zone_id, serial, previous, removed, added, user_id, project_id, request_id, at)
            values (${zone.id}, ${serial + 1}, ${serial}, ${new Uint8Array(0)}, ${new Uint8Array(0)}, '', '', '', '')`)
          await tx.run(spoil)
          tx.wake(zone.id)
        })
        const { serial } = (await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body
        const wanted = (serial - 1) % 200
        const { answer } = await digUntil(
          port(),
          ['a.misfit.example.', 'A'],
          (reply) => reply.answer[0]?.rdata[3] === wanted,
        )
        equal(answer[0]?.rdata[3], wanted)
        ok(await publishedOf(zone))
      }
    })

    test('[S75] a record that cannot be served fails its zone loudly and no other, until it is mended', async () => {
      const { api, port, dns } = served
      const zone = await api.newZone('bad.example.')
      await api.newZone('good.example.')
      const set = await api.newSet(zone, 'a.bad.example.', 'A', ['192.0.2.1'])
      ok(await publishedOf(zone))
      await api.db.write(async (tx) => {
        await tx.run(sql`update recordsets set records = '["not an address"]' where id = ${set.id}`)
        await tx.run(sql`update zones set serial = serial + 1 where id = ${zone.id}`)
        tx.wake(zone.id)
      })
      const reply = await digUntil(port(), ['a.bad.example.', 'A'], ({ rcode }) => rcode === SERVFAIL)
      equal(reply.rcode, SERVFAIL)
      const error = optionOf(reply, 'extended-error')
      equal(error?.code, 24)
      match(error?.text ?? '', /a\.bad\.example\. A cannot be served/)
      equal((await dig(port(), 'good.example.', 'SOA')).rcode, 0)
      ok(await until(() => dns().stats().failedCount === 1))
      equal(dns().stats().failed[0]?.name, 'bad.example.')
      const row = await api.db.read((tx) => tx.get(sql`select * from zones where id = ${zone.id}`))
      equal(await statusOf(zone), 'PENDING', JSON.stringify(row))
      await api.db.write(async (tx) => {
        await tx.run(sql`update recordsets set records = '["192.0.2.1"]' where id = ${set.id}`)
        await tx.run(sql`update zones set serial = serial - 1 where id = ${zone.id}`)
        tx.wake(zone.id)
      })
      equal((await digUntil(port(), ['a.bad.example.', 'A'], ({ rcode }) => rcode === 0)).rcode, 0)
      ok(await until(() => dns().stats().failedCount === 0))
      ok(await publishedOf(zone))
    })

    test('[S78] of zones of one name in several pools the oldest is served, and the next when it goes', async () => {
      const { api, port } = served
      const { body: pool } = await api.post('/v2/pools', {
        name: `second-${udp}`,
        ns_records: [{ hostname: 'ns.second.example.', priority: 1 }],
      })
      const first = await api.newZone('twice.example.')
      const second = await api.newZone('elsewhere.example.')
      // As a move to a pool that has no zone of the name does.
      await api.db.write(async (tx) => {
        await tx.run(sql`update zones set pool_id = ${pool.id}, name = 'twice.example.' where id = ${second.id}`)
        await tx.run(sql`update recordsets set name = 'twice.example.' where zone_id = ${second.id}`)
        tx.wake(second.id)
      })
      await api.newSet(second, 'b.twice.example.', 'A', ['192.0.2.2'])
      await api.newSet(first, 'a.twice.example.', 'A', ['192.0.2.1'])
      equal((await digUntil(port(), ['a.twice.example.', 'A'], ({ rcode }) => rcode === 0)).rcode, 0)
      equal((await dig(port(), 'b.twice.example.', 'A')).rcode, 3)
      await api.delete(`/v2/zones/${first.id}`)
      equal((await digUntil(port(), ['b.twice.example.', 'A'], ({ rcode }) => rcode === 0)).rcode, 0)
      equal((await dig(port(), 'a.twice.example.', 'A')).rcode, 3)
    })

    test('[S74] after a restart changes are served and published that came before it, and deletions end', async () => {
      const { api, port } = served
      const zone = await api.newZone('later.example.')
      const deleted = await api.newZone('leaves.example.')
      ok(await publishedOf(zone))
      for (const load of ['start', 'lazy'] as const) {
        await served.stop()
        const name = `${load}.later.example.`
        await api.newSet(zone, name, 'A', ['192.0.2.1'])
        if (load === 'start') await api.delete(`/v2/zones/${deleted.id}`)
        equal(await statusOf(zone), 'PENDING')
        await served.restart({ load })
        ok(await publishedOf(zone), 'it is published')
        ok(await until(async () => (await api.get(`/v2/zones/${deleted.id}`)).status === 404))
        equal((await dig(port(), name, 'A')).rcode, 0)
        equal((await dig(port(), 'leaves.example.', 'SOA')).rcode, REFUSED)
      }
    })

    test('[S79] zones that are read lazily are read when they are asked for', async () => {
      const { api, port } = served
      const zone = await api.newZone('lazy.example.')
      ok(await publishedOf(zone))
      await served.restart({ load: 'lazy' })
      const first = await dig(port(), 'lazy.example.', 'SOA', { edns: {} })
      equal(first.rcode, SERVFAIL)
      equal(optionOf(first, 'extended-error')?.code, 14)
      equal((await digUntil(port(), ['lazy.example.', 'SOA'], ({ rcode }) => rcode === 0)).rcode, 0)
    })

    test('[S9] a secondary zone that has never been transferred is not ready, and is no failure', async () => {
      const { api, port, dns } = served
      await api.post('/v2/zones', { name: 'second.example.', type: 'SECONDARY', masters: ['192.0.2.53'] })
      const reply = await digUntil(port(), ['second.example.', 'SOA'], ({ rcode }) => rcode === SERVFAIL)
      equal(reply.rcode, SERVFAIL)
      equal(optionOf(reply, 'extended-error')?.code, 14)
      equal(dns().stats().failedCount, 0)
    })
  })
}
