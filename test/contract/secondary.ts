import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import { sql } from '../../src/db/sql.ts'
import { encodeMessage } from '../../src/dns/message.ts'
import { frame } from '../../src/dns/stream.ts'
import { since } from '../../src/journal/since.ts'
import { startSchedule } from '../../src/secondary/schedule.ts'
import { type OwnMaster, record, send, soaOf, startOwnMaster } from '../support/own-master.ts'
import { dig, type Served, startServed, takeTransfer, until } from '../support/served.ts'
import { testSettings } from '../support/settings.ts'
import type { ShownZone } from '../support/zones-api.ts'

const SERVFAIL = 2

type StateRow = {
  readonly failures: number
  readonly last_error: string | null
  readonly next_at: string
  readonly serial: number | null
}

/** What holds of zones from elsewhere, whatever the database. */
export function secondaryRules(engine: string, url: () => Promise<string | undefined>): void {
  describe(`zones from elsewhere on ${engine}`, () => {
    let served: Served
    let schedule: { stop(): Promise<void> }
    let ahead = 0
    const limits = { records: 3000, octets: 1_000_000 }
    const start = () =>
      startSchedule({
        db: served.api.db,
        secrets: testSettings.secrets,
        quotaDefaults: { ...testSettings.quotaDefaults, zone_records: -1, zone_recordsets: -1, recordset_records: -1 },
        limits,
        patience: { answer: 500, silence: 1000, transfer: 4000 },
        holder: 'test',
        clock: () => new Date(Date.now() + ahead),
        log: pino({ level: 'silent' }),
        everyMilliseconds: 50,
      })
    before(async () => {
      const given = await url()
      served = await startServed(given === undefined ? {} : { url: given })
      const { pools } = (await served.api.list('/v2/pools')).body
      await served.api.patch(`/v2/pools/${pools![0]!.id}/transfers`, { addresses: ['127.0.0.1'] })
      schedule = start()
    })
    after(async () => {
      await schedule.stop()
      await served.close()
      for (const master of masters) await master.stop()
    })

    const masters: OwnMaster[] = []
    const newMaster = async (...given: Parameters<typeof startOwnMaster>) => {
      const master = await startOwnMaster(...given)
      masters.push(master)
      return master
    }
    const changesSince = (id: string, serial: number) =>
      served.api.db.read(async (tx) =>
        (await since(tx, id, serial))?.map(({ from, to, removed, added }) => [from, to, removed.length, added.length]),
      )
    const show = async (id: string) => (await served.api.get<ShownZone>(`/v2/zones/${id}`)).body
    const isActive = (id: string) => until(async () => (await show(id)).status === 'ACTIVE')
    const make = (name: string, masters: readonly OwnMaster[]) =>
      served.api.newZone(name, {
        type: 'SECONDARY',
        email: undefined,
        masters: masters.map(({ port }) => `127.0.0.1:${port}`),
      })
    const xfr = (id: string) => served.api.post(`/v2/zones/${id}/tasks/xfr`, undefined)
    const stateOf = (id: string) =>
      served.api.db.read((tx) => tx.get<StateRow>(sql`select * from secondary_state where zone_id = ${id}`))
    const isAt = (name: string, serial: number) =>
      until(async () => {
        const [soa] = (await dig(served.port(), name, 'SOA')).answer
        return (
          soa !== undefined &&
          new DataView(soa.rdata.buffer, soa.rdata.byteOffset).getUint32(soa.rdata.length - 20) === serial
        )
      })

    test('[Y1] the first content may have any serial, 1 and 0 too', async () => {
      for (const serial of [1, 0, 0xffffffff]) {
        const name = `first${serial}.example.`
        const master = await newMaster(name, serial)
        const zone = await make(name, [master])
        ok(await isActive(zone.id), `serial ${serial}`)
        ok(await isAt(name, serial), `serial ${serial} is served`)
        equal((await show(zone.id)).serial, serial)
      }
    })

    test('[Y5] a serial that runs over its end is newer, and is passed on whole', async () => {
      const name = 'over.example.'
      const master = await newMaster(name, 0xfffffff0, [record(`a.${name}`, 'A', '192.0.2.1')])
      const zone = await make(name, [master])
      ok(await isAt(name, 0xfffffff0))
      master.serial = 5
      await xfr(zone.id)
      ok(await isAt(name, 5))
      ok(await isActive(zone.id))
      equal((await takeTransfer(served.port(), name)).records.length, 4)
      master.serial = 0xfffffff1
      await xfr(zone.id)
      ok(await until(async () => (await stateOf(zone.id))!.failures === 1))
      ok((await stateOf(zone.id))!.last_error!.includes('older'))
      equal((await show(zone.id)).serial, 5)
    })

    test('[Y4] changes are taken as changes, and where they do not fit the whole zone is', async () => {
      const name = 'step.example.'
      const master = await newMaster(name, 10, [record(`a.${name}`, 'A', '192.0.2.1')])
      const zone = await make(name, [master])
      ok(await isActive(zone.id))
      const whole = master.answer
      master.serial = 11
      master.answer = (request, socket) =>
        send(socket, request, [
          soaOf(name, 11),
          soaOf(name, 10),
          record(`A.${name}`, 'A', '192.0.2.1'),
          soaOf(name, 11),
          record(`b.${name}`, 'A', '192.0.2.2', 30),
          soaOf(name, 11),
        ])
      await xfr(zone.id)
      ok(await isAt(name, 11))
      deepEqual(master.asked.slice(-2), ['SOA', 'IXFR'])
      equal((await dig(served.port(), `b.${name}`, 'A')).answer[0]?.ttl, 30)
      deepEqual(await changesSince(zone.id, 10), [[10, 11, 2, 2]])
      // Now what it removes is not there: it is asked for everything.
      master.serial = 12
      const misfit = master.answer
      master.answer = (request, socket) => {
        if (request.question[0]!.type !== 251) return whole(request, socket)
        misfit({ ...request }, socket)
      }
      await xfr(zone.id)
      ok(await isAt(name, 12))
      deepEqual(master.asked.slice(-3), ['SOA', 'IXFR', 'AXFR'])
      equal((await dig(served.port(), `a.${name}`, 'A')).answer.length, 1)
      equal((await dig(served.port(), `b.${name}`, 'A')).answer.length, 0)
    })

    test('[Y5] the first master with news is taken from; one that is down or behind is passed over', async () => {
      const name = 'several.example.'
      const [silent, behind, ahead1] = [
        await newMaster(name, 1),
        await newMaster(name, 20, [record(`a.${name}`, 'A', '192.0.2.20')]),
        await newMaster(name, 21, [record(`a.${name}`, 'A', '192.0.2.21')]),
      ]
      silent.serial = undefined
      const zone = await make(name, [silent, behind])
      ok(await isAt(name, 20))
      equal(
        (
          await served.api.patch(`/v2/zones/${zone.id}`, {
            masters: [silent, behind, ahead1].map(({ port }) => `127.0.0.1:${port}`),
          })
        ).status,
        202,
      )
      // The new list is asked for all it has, and the first that answers has the same; only then is the last one ahead.
      ok(await until(async () => (await stateOf(zone.id))!.serial === 20))
      ahead1.serial = 22
      await xfr(zone.id)
      ok(await isAt(name, 22))
    })

    test('[Y7] new masters are asked at once and anew: what those before them failed in does not count', async () => {
      const name = 'anew.example.'
      const [old, fresh] = [await newMaster(name, 5), await newMaster(name, 5)]
      for (const one of [old, fresh]) one.answer = (_, socket) => socket.destroy()
      const zone = await make(name, [old])
      const failures = (n: number) => until(async () => (await stateOf(zone.id))?.failures === n)
      ok(await failures(1))
      for (const n of [2, 3, 4]) {
        await xfr(zone.id)
        ok(await failures(n))
      }
      equal((await show(zone.id)).status, 'ERROR')
      const patched = await served.api.patch<ShownZone>(`/v2/zones/${zone.id}`, {
        masters: [`127.0.0.1:${fresh.port}`],
      })
      deepEqual([patched.status, patched.body.status], [202, 'PENDING'])
      ok(await failures(1), 'the first failure of the new one')
      const { next_at, last_error } = (await stateOf(zone.id))!
      ok(last_error?.startsWith(`127.0.0.1:${fresh.port}: `), last_error ?? '')
      ok(Date.parse(`${next_at.slice(0, 23)}Z`) - Date.now() < 6000, next_at)
      equal((await show(zone.id)).status, 'PENDING')
    })

    test('[Y7] what masters are found to lack while others are set is not told of those', async () => {
      const name = 'swap.example.'
      const [old, fresh] = [await newMaster(name, 5), await newMaster(name, 6)]
      const zone = await make(name, [old])
      ok(await isAt(name, 5))
      old.serial = undefined
      fresh.answer = (_, socket) => socket.destroy()
      const before = old.asked.length
      await xfr(zone.id)
      ok(await until(async () => old.asked.length > before))
      await served.api.patch(`/v2/zones/${zone.id}`, { masters: [`127.0.0.1:${fresh.port}`] })
      ok(await until(async () => (await stateOf(zone.id))!.last_error?.includes(`:${fresh.port}: `) === true))
      equal((await stateOf(zone.id))!.failures, 1)
      equal((await show(zone.id)).status, 'ACTIVE')
    })

    test('[Y8] a refusal is told with the master and with what it refused', async () => {
      const name = 'refused.example.'
      const master = await newMaster(name, 5)
      master.answer = (request, socket) =>
        socket.write(frame(encodeMessage({ ...request, flags: { ...request.flags, qr: true }, rcode: 5 })))
      const zone = await make(name, [master])
      ok(await until(async () => (await stateOf(zone.id))?.failures === 1))
      const { last_error } = (await stateOf(zone.id))!
      equal(last_error, `127.0.0.1:${master.port}: the master answers REFUSED to the transfer (AXFR)`)
    })

    test('[Y7] other masters are taken from whatever their serial, and no change of the row itself makes a serial', async () => {
      const name = 'moved.example.'
      const [one, other] = [
        await newMaster(name, 100, [record(`a.${name}`, 'A', '192.0.2.1')]),
        await newMaster(name, 50, [record(`a.${name}`, 'A', '192.0.2.2')]),
      ]
      const zone = await make(name, [one])
      ok(await isActive(zone.id))
      const described = await served.api.patch<ShownZone>(`/v2/zones/${zone.id}`, { description: 'from elsewhere' })
      deepEqual([described.status, described.body.serial, described.body.status], [202, 100, 'ACTIVE'])
      await served.api.patch(`/v2/zones/${zone.id}`, { masters: [`127.0.0.1:${other.port}`] })
      // Ours goes on from where it was, so that those who follow us follow.
      ok(await isAt(name, 101))
      deepEqual(await changesSince(zone.id, 100), [[100, 101, 2, 2]])
      other.serial = 51
      await xfr(zone.id)
      ok(await isAt(name, 102))
    })

    test('[Y3] garbage, endless records, data of others and silence are refused, and what is held stays', async () => {
      const name = 'hostile.example.'
      const master = await newMaster(name, 1, [record(`a.${name}`, 'A', '192.0.2.1')])
      const zone = await make(name, [master])
      ok(await isActive(zone.id))
      const right = master.answer
      const attacks: Record<string, OwnMaster['answer']> = {
        garbage: (_, socket) => socket.write(frame(Buffer.from('no DNS message at all, is it'))),
        'a message that never ends': (_, socket) => socket.write(new Uint8Array([0xff, 0xff, 1])),
        'endless records': (request, socket) =>
          send(
            socket,
            request,
            (function* () {
              yield soaOf(name, 2)
              for (let i = 0; i < 20_000; i++) yield record(`n${i}.${name}`, 'A', '192.0.2.3')
            })(),
          ),
        'data of others': (request, socket) =>
          send(socket, request, [
            soaOf(name, 2),
            record(name, 'NS', 'ns.'),
            record('bank.example.', 'A', '192.0.2.66'),
            soaOf(name, 2),
          ]),
        'a zone without NS': (request, socket) =>
          send(socket, request, [soaOf(name, 2), record(`a.${name}`, 'A', '192.0.2.1'), soaOf(name, 2)]),
        'a CNAME beside data': (request, socket) =>
          send(socket, request, [
            soaOf(name, 2),
            record(name, 'NS', 'ns.'),
            record(`a.${name}`, 'A', '192.0.2.1'),
            record(`A.${name}`, 'CNAME', 'b.'),
            soaOf(name, 2),
          ]),
        'an SOA that no row can hold': (request, socket) =>
          send(socket, request, [
            soaOf(name, 2, '4294967295 1 1 1'),
            record(name, 'NS', 'ns.'),
            soaOf(name, 2, '4294967295 1 1 1'),
          ]),
        'another id': (request, socket) => right({ ...request, id: request.id ^ 1 }, socket),
        'an old serial after all': (request, socket) =>
          send(socket, request, [soaOf(name, 1), record(name, 'NS', 'ns.'), soaOf(name, 1)]),
        'the end at once': (_, socket) => socket.destroy(),
      }
      master.serial = 2
      let failures = 0
      for (const [what, attack] of Object.entries(attacks)) {
        master.answer = attack
        failures += 1
        await xfr(zone.id)
        ok(await until(async () => (await stateOf(zone.id))!.failures === failures), what)
        equal((await dig(served.port(), `a.${name}`, 'A')).answer.length, 1, what)
        const { status, serial } = await show(zone.id)
        deepEqual([status, serial], ['ACTIVE', 1], what)
      }
      master.answer = right
      await xfr(zone.id)
      ok(await isAt(name, 2))
      equal((await stateOf(zone.id))!.last_error, null)
    })

    test('[Y3] more than the quotas of the project allow is refused', async () => {
      const name = 'quota.example.'
      const headers = { 'X-Auth-Project-ID': 'small', 'X-Roles': 'admin' }
      const records = ['1', '2', '3'].map((n) => record(`a${n}.${name}`, 'A', '192.0.2.1'))
      const master = await newMaster(name, 1, records)
      const zone = async () => (await served.api.get<ShownZone>(`/v2/zones/${made.id}`, headers)).body
      equal((await served.api.patch('/v2/quotas/small', { zone_records: 3 }, headers)).status, 200)
      const more = { type: 'SECONDARY', email: undefined, masters: [`127.0.0.1:${master.port}`] }
      const made = await served.api.newZone(name, more, headers)
      ok(await until(async () => (await stateOf(made.id))?.failures === 1))
      ok((await stateOf(made.id))!.last_error!.includes('4 records, where 3 is the most'))
      await served.api.patch('/v2/quotas/small', { zone_records: 4 }, headers)
      await served.api.post(`/v2/zones/${made.id}/tasks/xfr`, undefined, headers)
      ok(await until(async () => (await zone()).status === 'ACTIVE', 15_000))
    })

    test('[Y9] a zone with many sets comes in many short turns and appears whole; its counts are exact', async () => {
      const name = 'large.example.'
      const many = (n: number) =>
        Array.from({ length: n }, (_, i) => record(`n${i}.${name}`, 'A', `192.0.2.${i % 250}`))
      const master = await newMaster(name, 1, many(1500))
      const zone = await make(name, [master])
      ok(await isActive(zone.id))
      equal((await takeTransfer(served.port(), name)).records.length, 1503)
      master.serial = 2
      master.answer = (request, socket) =>
        send(socket, request, [
          soaOf(name, 2),
          record(name, 'NS', 'ns1.other.test.'),
          ...many(700).map((one) => ({ ...one, ttl: 5 })),
          soaOf(name, 2),
        ])
      await xfr(zone.id)
      ok(await isAt(name, 2))
      equal((await takeTransfer(served.port(), name)).records.length, 703)
      // Every set of 1,500 changed or went: that is within what the journal lists.
      deepEqual(await changesSince(zone.id, 1), [[1, 2, 1501, 701]])
      const counted = await served.api.db.read((tx) =>
        tx.get(sql`select recordset_count, record_count, partial,
          (select count(*) from recordsets where zone_id = zones.id) as sets from zones where id = ${zone.id}`),
      )
      deepEqual({ ...counted }, { recordset_count: 702, record_count: 701, partial: 0, sets: 702 })
    })

    test('[Y9] rows that a crash left half-way are not served, and the next transfer puts them right', async () => {
      const name = 'torn.example.'
      const master = await newMaster(name, 1, [record(`a.${name}`, 'A', '192.0.2.1')])
      const zone = await make(name, [master])
      ok(await isActive(zone.id))
      await schedule.stop()
      await served.api.db.write(async (tx) => {
        await tx.run(sql`update zones set partial = 1 where id = ${zone.id}`)
        await tx.run(sql`delete from recordsets where zone_id = ${zone.id} and type = 'A'`)
      })
      await served.restart()
      equal((await dig(served.port(), `a.${name}`, 'A')).rcode, SERVFAIL)
      schedule = start()
      await xfr(zone.id)
      ok(await until(async () => (await dig(served.port(), `a.${name}`, 'A')).answer.length === 1))
      equal((await show(zone.id)).serial, 2)
    })

    test('[Y6] a zone whose masters are away is served until it expires, then answers SERVFAIL, and comes back with them', async () => {
      const name = 'old.example.'
      const master = await newMaster(name, 7, [record(`a.${name}`, 'A', '192.0.2.1')])
      const zone = await make(name, [master])
      ok(await isActive(zone.id))
      master.serial = undefined
      ahead = 3_700_000
      ok(await until(async () => (await stateOf(zone.id))!.failures === 1))
      equal((await show(zone.id)).status, 'ACTIVE')
      equal((await dig(served.port(), `a.${name}`, 'A')).answer.length, 1)
      ahead = 90_000_000
      ok(await until(async () => (await dig(served.port(), `a.${name}`, 'A')).rcode === SERVFAIL))
      equal((await show(zone.id)).status, 'ERROR')
      await served.restart()
      ok(await until(async () => (await dig(served.port(), `a.${name}`, 'A')).rcode === SERVFAIL))
      master.serial = 7
      ahead = 91_000_000
      ok(await until(async () => (await dig(served.port(), `a.${name}`, 'A')).answer.length === 1))
      equal((await show(zone.id)).status, 'ACTIVE')
      ahead = 0
    })

    test('[Y8] a zone that never came is PENDING, then ERROR once its masters failed three times, and right when they are', async () => {
      const name = 'never.example.'
      const master = await newMaster(name, 7)
      master.serial = undefined
      const zone = await make(name, [master])
      ok(await until(async () => (await stateOf(zone.id))?.failures === 1))
      equal((await show(zone.id)).status, 'PENDING')
      equal((await dig(served.port(), name, 'SOA')).rcode, SERVFAIL)
      for (const failures of [2, 3]) {
        await xfr(zone.id)
        ok(await until(async () => (await stateOf(zone.id))?.failures === failures))
      }
      equal((await show(zone.id)).status, 'ERROR')
      const told = (await served.api.get<StateRow>(`/v2/zones/${zone.id}/masters`)).body
      deepEqual(
        [told.failures, told.serial, told.last_error],
        [3, null, `127.0.0.1:${master.port}: the master does not answer`],
      )
      master.serial = 7
      await xfr(zone.id)
      ok(await isActive(zone.id))
      const right = (await served.api.get<StateRow & { master: string }>(`/v2/zones/${zone.id}/masters`)).body
      deepEqual([right.failures, right.serial, right.master], [0, 7, `127.0.0.1:${master.port}`])
      const primary = await served.api.newZone('primary.example.')
      deepEqual((await served.api.refused('GET', `/v2/zones/${primary.id}/masters`))[1], 'bad_request')
      await served.api.delete(`/v2/zones/${zone.id}`)
      await served.api.db.write((tx) => tx.run(sql`update secondary_state set next_at = '' where zone_id = ${zone.id}`))
      ok(await until(async () => (await stateOf(zone.id)) === undefined))
    })
  })
}
