import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '../src/db/sql.ts'
import { compare } from '../src/zonedata/compare.ts'
import { soaNumber, zoneFromRecords } from '../src/zonedata/zone.ts'
import { ask } from './support/dns-client.ts'
import { askUdp } from './support/dns-transports.ts'
import { query } from './support/nameserver.ts'
import type { NameServer } from './support/nameservers.ts'
import { type SecondaryProgram, secondaryPrograms, startSecondary } from './support/secondaries.ts'
import { type Served, startServed, takeTransfer, until } from './support/served.ts'
import { linesOf } from './support/zones.ts'
import type { ShownSet, ShownZone } from './support/zones-api.ts'

const [IXFR, SOA] = [251, 6]
const changesEach = 1000
const plain = { origin: 'plain.example.' }
const signed = { origin: 'signed.example.', key: keyOf('right') }
const wrong = {
  origin: 'wrong.example.',
  key: { ...keyOf('wrong'), secret: Buffer.from('guessed').toString('base64') },
}

let served: Served
const zones = new Map<string, ShownZone>()
const secondaries: NameServer[] = []
before(async () => {
  served = await startServed()
  const { api } = served
  for (const { origin } of [plain, signed, wrong]) zones.set(origin, await api.newZone(origin))
  // BIND takes 100 records of a name and type at most. Large enough that changes are shorter than the zone, and so are sent as changes.
  const many = (third: number) => Array.from({ length: 90 }, (_, i) => `203.0.${third}.${i}`)
  for (const { origin } of [plain, signed])
    for (let i = 0; i < 10; i++) await api.newSet(zones.get(origin)!, `many${i}.${origin}`, 'A', many(i))
  await closedPool(signed.origin, signed.key)
  await closedPool(wrong.origin, keyOf('wrong'))
  await api.patch(`/v2/pools/${zones.get(plain.origin)!.pool_id}/transfers`, { addresses: ['127.0.0.1'] })
  ok(await until(async () => (await takeTransfer(served.port(), plain.origin)).rcode === 0))
  const startOne = async (name: SecondaryProgram) => {
    secondaries.push(await startSecondary(name, served.port(), [plain, signed, wrong]))
  }
  const started = await Promise.allSettled(secondaryPrograms.map(startOne))
  for (const one of started) if (one.status === 'rejected') throw one.reason
})
after(async () => {
  await Promise.all(secondaries.map((server) => server.stop()))
  await served.close()
})

test('[S90] named, knotd and nsd follow a thousand changes, with TSIG and without, and end with the same zone', async () => {
  await Promise.all([plain, signed].map(({ origin }) => change(zones.get(origin)!)))
  for (const { origin } of [plain, signed]) {
    const ours = await takeTransfer(served.port(), origin, origin === signed.origin ? { key: tsigOf(signed.key) } : {})
    const wanted = zoneFromRecords(origin, ours.records.slice(0, -1))
    const serial = soaNumber(ours.records[0]!.rdata, 0)
    for (const server of secondaries) {
      const about = `${server.name} ${origin}`
      let last: number | undefined
      ok(
        await until(async () => {
          await notify(server.port, origin)
          last = await serialAt(server.port, origin)
          return last === serial
        }, 30_000),
        `${about} has ${last}, not ${serial}: ${(await server.log()).slice(-2000)}`,
      )
      const theirs = await takeTransfer(server.port, origin)
      const { removed, added } = compare(wanted, zoneFromRecords(origin, theirs.records.slice(0, -1)))
      deepEqual([linesOf(removed), linesOf(added)], [[], []], about)
    }
  }
  const { types } = served.dns().stats().counters.tcp
  ok((types.get(IXFR) ?? 0) > 20, `${types.get(IXFR)} incremental`)
})

test('[S83] a secondary with the wrong secret gets nothing', async () => {
  for (const server of secondaries) {
    await notify(server.port, wrong.origin)
    equal(await serialAt(server.port, wrong.origin), undefined, server.name)
    equal((await takeTransfer(served.port(), wrong.origin)).rcode, 5)
  }
})

/** Makes changes of every kind, many at once, and tells the secondaries now and then. */
async function change(zone: ShownZone): Promise<void> {
  const { api } = served
  const path = `/v2/zones/${zone.id}/recordsets`
  let done = 0
  const work = async (worker: number) => {
    const sets: ShownSet[] = []
    for (let i = 0; done++ < changesEach; i++) {
      const address = `192.0.2.${(i * 7 + worker) % 250}`
      const oldest = sets.length > 6 ? sets.shift()! : undefined
      if (oldest !== undefined && i % 3 === 0) await api.delete(`${path}/${oldest.id}`)
      else if (oldest !== undefined)
        await api.put(`${path}/${oldest.id}`, { records: [address, '198.51.100.1'], ttl: 60 + i })
      else if (i % 5 === 4)
        sets.push(await api.newSet(zone, `t${i}.w${worker}.${zone.name}`, 'TXT', [`"text ${i}"`, '"b"']))
      else
        sets.push(
          await api.newSet(
            zone,
            `n${i}.w${worker}.${zone.name}`,
            i % 2 ? 'A' : 'MX',
            i % 2 ? [address] : [`5 n${i}.${zone.name}`],
          ),
        )
      if (done % 40 === 0) await Promise.all(secondaries.map(({ port }) => notify(port, zone.name)))
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)))
  ok(await until(async () => (await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.status === 'ACTIVE'))
}

/** Puts a zone into a pool of its own whose zones go only to holders of a key, and makes the key. */
async function closedPool(origin: string, { name, algorithm, secret }: ReturnType<typeof keyOf>): Promise<void> {
  const { api } = served
  const zone = zones.get(origin)!
  const { body: pool } = await api.post('/v2/pools', {
    name: `of ${origin}`,
    ns_records: [{ hostname: 'ns1.nameplane.test.', priority: 1 }],
  })
  await api.db.write((tx) => tx.run(sql`update zones set pool_id = ${pool.id} where id = ${zone.id}`))
  await api.patch(`/v2/pools/${pool.id}/transfers`, { addresses: ['127.0.0.1'], require_key: true })
  const { status, text } = await api.post('/v2/tsigkeys', {
    name,
    algorithm,
    secret,
    scope: 'POOL',
    resource_id: pool.id,
  })
  equal(status, 201, text)
}

function keyOf(name: string) {
  return {
    name: `${name}-key.`,
    algorithm: 'hmac-sha256',
    secret: Buffer.from(`the secret of ${name}`).toString('base64'),
  }
}

const tsigOf = ({ name, secret }: ReturnType<typeof keyOf>) =>
  ({ name, algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') }) as const

const notify = (port: number, origin: string) =>
  askUdp({ host: '127.0.0.1', port }, query(origin, 'SOA', { opcode: 4 }), 500)

async function serialAt(port: number, origin: string): Promise<number | undefined> {
  const { answer } = await ask(port, { name: origin, type: SOA, class: 1 })
  return answer[0] && soaNumber(answer[0].rdata, 0)
}
