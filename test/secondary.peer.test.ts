import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { masterPrograms, startMaster, update } from './support/masters.ts'
import type { NameServer } from './support/nameservers.ts'
import { askService, newSecondary, serialAt, servedTexts, show, until } from './support/secondary-zones.ts'
import { takeTransfer } from './support/served.ts'
import { type Service, startService } from './support/service.ts'

const zoneText = (serial: number, more = '') => `$ORIGIN example.net.
$TTL 300
@ SOA ns1.other.test. hostmaster.other.test. ${serial} 3600 600 86400 60
@ NS ns1.other.test.
@ MX 10 mail
www A 192.0.2.1
mail A 192.0.2.2
\\052.wild TXT "a * that is no wildcard"
*.wild TXT "wild" "card"
sub NS ns.sub
ns.sub AAAA 2001:db8::53
${more}`

let service: Service
before(async () => {
  service = await startService()
  const { pools } = await askService<{ pools: { id: string }[] }>(service, '/v2/pools')
  await askService(service, `/v2/pools/${pools[0]!.id}/transfers`, 'PATCH', { addresses: ['127.0.0.1'] })
})
after(() => service.stop())

for (const program of masterPrograms) {
  describe(program, () => {
    let master: NameServer
    const origin = 'example.net.'
    let id: string
    before(async () => {
      master = await startMaster(program, { origin, text: zoneText(7), notify: service.dnsPort })
    })
    after(() => master.stop())

    test(`[Y1] a new SECONDARY zone is taken from ${program}, served, and its row says what the master's SOA says`, async () => {
      id = await newSecondary(service, origin, [`127.0.0.1:${master.port}`])
      ok(await until(async () => (await show(service, id)).status === 'ACTIVE'))
      const zone = await show(service, id)
      deepEqual([zone.serial, zone.email, zone.ttl, zone.action], [7, 'hostmaster@other.test', 300, 'NONE'])
      ok(zone.transferred_at !== null)
      deepEqual(await servedTexts(service, 'www.example.net.', 'A'), ['192.0.2.1'])
      deepEqual(await servedTexts(service, 'any.wild.example.net.', 'TXT'), ['"wild" "card"'])
      const sets = await askService<{ recordsets: { name: string; type: string; ttl: number }[] }>(
        service,
        `/v2/zones/${id}/recordsets?limit=100`,
      )
      equal(sets.recordsets.length, 9)
      deepEqual(sets.recordsets.find(({ type }) => type === 'NS')?.ttl, 300)
    })

    test(`[Y4] what changes at ${program} is announced, taken as a change, and passed on as one`, async () => {
      await update(master, origin, ['update add new.example.net. 60 A 192.0.2.9', 'update delete www.example.net. A'])
      ok(await until(async () => (await servedTexts(service, 'new.example.net.', 'A')).length === 1))
      deepEqual(await servedTexts(service, 'www.example.net.', 'A'), [])
      const serial = await serialAt(service.dnsPort, origin)
      equal(serial, await serialAt(master.port, origin))
      const changes = await takeTransfer(service.dnsPort, origin, { since: 7 })
      equal(changes.rcode, 0)
      equal(changes.records.length, 6, changes.lines.join('\n'))
      const whole = await takeTransfer(service.dnsPort, origin)
      const theirs = await takeTransfer(master.port, origin)
      deepEqual(whole.lines.toSorted(), theirs.lines.toSorted())
      await until(async () => (await show(service, id)).status === 'ACTIVE')
      equal((await show(service, id)).serial, serial)
    })

    test(`[Y6] a change made while ${program} was away is taken when it is back`, async () => {
      const { port } = master
      await master.stop()
      await askService(service, `/v2/zones/${id}/tasks/xfr`, 'POST')
      equal((await servedTexts(service, 'new.example.net.', 'A')).length, 1)
      const text = zoneText(2_000_000_000, 'back A 192.0.2.77')
      master = await startMaster(program, { origin, text, notify: service.dnsPort }, port)
      ok(await until(async () => (await servedTexts(service, 'back.example.net.', 'A')).length === 1, 20_000))
      equal((await show(service, id)).serial, 2_000_000_000)
    })

    test('[Y8] it is gone with the zone', async () => {
      await askService(service, `/v2/zones/${id}`, 'DELETE')
      ok(await until(async () => (await serialAt(service.dnsPort, origin)) === undefined))
    })
  })

  test(`[Y10] ${program} is asked with the key of the zone; without it, or with another secret, nothing is taken`, async () => {
    const origin = `signed-${program}.example.`
    const key = { name: 'transfer.key', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 7).toString('base64') }
    const text = zoneText(3).replace('example.net.', origin)
    const master = await startMaster(program, { origin, text, notify: service.dnsPort, key })
    try {
      const id = await newSecondary(service, origin, [`127.0.0.1:${master.port}`])
      const isSaid = (reason: RegExp) =>
        until(() =>
          service
            .log()
            .split('\n')
            .some((line) => line.includes(origin) && reason.test(line)),
        )
      ok(await isSaid(/the master answers (REFUSED|NOTAUTH)/), 'without a key')
      const wrong = { ...key, secret: Buffer.alloc(32, 8).toString('base64'), scope: 'ZONE', resource_id: id }
      const made = await askService<{ id: string }>(service, '/v2/tsigkeys', 'POST', wrong)
      await askService(service, `/v2/zones/${id}/tasks/xfr`, 'POST')
      ok(await isSaid(/refuses our key with BADSIG/), 'with another secret')
      equal((await show(service, id)).transferred_at, null)
      await askService(service, `/v2/tsigkeys/${made.id}`, 'PATCH', { secret: key.secret })
      await askService(service, `/v2/zones/${id}/tasks/xfr`, 'POST')
      ok(await until(async () => (await show(service, id)).status === 'ACTIVE'))
      deepEqual(await servedTexts(service, `www.${origin}`, 'A'), ['192.0.2.1'])
      await askService(service, `/v2/tsigkeys/${made.id}`, 'DELETE')
    } finally {
      await master.stop()
    }
  })
}
