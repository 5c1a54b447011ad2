import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask } from '../../../test/support/dns-client.ts'
import { askUdp } from '../../../test/support/dns-transports.ts'
import { freeze } from '../../../test/support/freeze.ts'
import { startMaster, update } from '../../../test/support/masters.ts'
import { query } from '../../../test/support/nameserver.ts'
import type { NameServer } from '../../../test/support/nameservers.ts'
import { freePort } from '../../../test/support/port.ts'
import { until } from '../../../test/support/served.ts'
import {
  type DeliveryTarget,
  hasAll,
  hasSerial,
  serialOf,
  startPrimary,
  targetOf,
  timeChanges,
  zoneOf,
} from '../../../test/support/targets.ts'
import { startPdnsTarget } from '../../../test/support/targets-pdns.ts'
import { type Driver, type HostPort, type Target, Unreachable } from '../kind.ts'
import { pdns4 } from './pdns4.ts'

const key = { name: 'deliver-key.', algorithm: 'hmac-sha256', secret: Buffer.from('shared').toString('base64') }
const many = Array.from({ length: 300 }, (_, i) => zoneOf(`z${i}.many.example.`))
const odd = ['0/25.2.0.192.in-addr.arpa.', '_under.example.', 'xn--mller-kva.example.'].map(zoneOf)
const plain = ['one.example.', 'Two.Example.', 'three.example.'].map(zoneOf)
const never = new AbortController().signal

let primary: NameServer
let server: DeliveryTarget
const drivers: Driver[] = []
before(async () => {
  primary = await startPrimary([...many, ...odd, ...plain])
  server = await startPdnsTarget()
})
after(async () => {
  for (const driver of drivers) await driver.close()
  await server?.stop()
  await primary?.stop()
})

test('[W50] zones that are added are fetched at once and served, of any name, and those that are dropped are not', async () => {
  const driver = open()
  deepEqual(await driver.addZones([...plain, ...odd], never), [])
  for (const { name } of [...plain, ...odd]) ok(await hasSerial(server.port, name, 1), name)
  deepEqual(
    (await driver.listZones!(never)).toSorted(),
    [...plain, ...odd].map(({ name }) => name.toLowerCase()).toSorted(),
  )
  deepEqual(await driver.dropZones(odd, never), [])
  for (const { name } of odd) ok(await hasSerial(server.port, name, undefined), name)
  for (const { name } of plain) equal(await serialOf(server.port, name), 1)
})

test('[W50] hundreds of zones at once are served, and a change comes with NOTIFY', async (t) => {
  const driver = open()
  const began = performance.now()
  for (let at = 0; at < many.length; at += pdns4.batch)
    deepEqual(await driver.addZones(many.slice(at, at + pdns4.batch), never), [])
  const told = performance.now() - began
  ok(await hasAll(server.port, many))
  t.diagnostic(`${many.length} zones told in ${told} ms, served after ${performance.now() - began} ms`)
  const took = await timeChanges(primary, server.port, 'one.example.', 3)
  t.diagnostic(`a change by NOTIFY: median ${took[1]} ms, most ${took[2]} ms`)
  deepEqual(await driver.dropZones(many, never), [])
  deepEqual(
    (await driver.listZones!(never)).filter((name) => name.endsWith('.many.example.')),
    [],
  )
})

test('[W50] names between a zone and its records exist after a change as they did before', async () => {
  await open().addZones(plain, never)
  await update(primary, 'two.example.', ['update add a.b.c.two.example. 60 A 192.0.2.1'])
  await askUdp({ host: '127.0.0.1', port: server.port }, query('two.example.', 'SOA', { opcode: 4 }), 500)
  ok(await hasSerial(server.port, 'two.example.', 2))
  const rcode = async (name: string) => (await ask(server.port, { name, type: 1, class: 1 })).rcode
  deepEqual([await rcode('b.c.two.example.'), await rcode('nothing.two.example.')], [0, 3])
})

test('[W51] what was done before is done again without harm', async () => {
  const driver = open()
  for (let round = 0; round < 2; round++) deepEqual(await driver.addZones(plain, never), [])
  for (const { name } of plain) ok((await serialOf(server.port, name)) !== undefined, name)
  for (let round = 0; round < 2; round++) deepEqual(await driver.dropZones([zoneOf('gone.example.')], never), [])
})

test('[W51] a zone that is the server’s own is refused, and stays as it is when the one here is dropped', async () => {
  const driver = open()
  const own = zoneOf('own.example.')
  for (const kind of ['Native', 'Master']) {
    await callApi('POST', '/zones', { name: own.name, kind, nameservers: ['ns.elsewhere.example.'] })
    const before = await callApi('GET', '/zones/own.example.')
    equal(before.kind, kind)
    const reason = `PowerDNS has a zone of this name of its own (kind ${kind}): remove it there, or the zone here`
    deepEqual(await driver.addZones([own], never), [{ id: own.id, reason }])
    deepEqual(await driver.dropZones([own], never), [])
    deepEqual(await callApi('GET', '/zones/own.example.'), before)
    await callApi('DELETE', '/zones/own.example.')
  }
})

test('[W51] a zone that is there with other masters or another key is made what it should be, and fetched', async () => {
  const driver = open()
  const three = [plain[2]!]
  await driver.dropZones(three, never)
  await callApi('POST', '/zones', { name: 'three.example.', kind: 'Slave', masters: ['192.0.2.9'] })
  deepEqual(await driver.addZones(three, never), [])
  ok(await hasSerial(server.port, 'three.example.', 1))
  const seen = async () => {
    const { kind, masters, slave_tsig_key_ids } = await callApi('GET', '/zones/three.example.?rrsets=false')
    return { kind, masters, slave_tsig_key_ids }
  }
  const right = { kind: 'Slave', masters: [`127.0.0.1:${primary.port}`], slave_tsig_key_ids: [] }
  deepEqual(await seen(), right)
  const masters = [
    { host: '2001:db8:0::1', port: 53 },
    { host: '::1', port: 5300 },
    { host: 'localhost', port: 54 },
  ]
  deepEqual(await open({}, { masters, key }).addZones(three, never), [])
  const changed = await seen()
  deepEqual(changed.slave_tsig_key_ids, ['deliver-key.'])
  const shown = changed.masters as string[]
  deepEqual(shown.slice(0, 2), ['2001:db8::1', '[::1]:5300'])
  ok(shown.includes('127.0.0.1:54'))
  deepEqual(await driver.addZones(three, never), [])
  deepEqual(await seen(), right)
})

test('[W51] a zone whose primary was away when it was added is fetched when it is added again', async () => {
  const port = await freePort()
  const driver = open({}, { masters: [{ host: '127.0.0.1', port }] })
  const late = zoneOf('late.example.')
  deepEqual(await driver.addZones([late], never), [])
  ok(await until(() => /late\.example.*unable to xfr/i.test(server.log())))
  const text = '@ 60 SOA ns1 host 5 3600 600 86400 60\n@ 60 NS ns1.example.\n'
  const master = await startMaster('named', { origin: late.name, text, notify: await freePort() }, port)
  try {
    deepEqual(await driver.addZones([late], never), [])
    ok(await hasSerial(server.port, late.name, 5))
  } finally {
    await master.stop()
  }
  await driver.dropZones([late], never)
})

test('[W51] a zone that was left half made is made whole, and served', async () => {
  const half = many[0]!
  const masters = [`127.0.0.1:${primary.port}`]
  await callApi('POST', '/zones', { name: half.name, kind: 'Slave', masters, slave_tsig_key_ids: ['none.'] })
  const { kind } = await callApi('GET', `/zones/${half.name}`)
  equal(kind, 'Slave', 'PowerDNS refused it, and yet it is there')
  const driver = open()
  deepEqual(await driver.addZones([half], never), [])
  ok(await hasSerial(server.port, half.name, 1))
  deepEqual(await driver.dropZones([half], never), [])
})

test('[W52] each zone that PowerDNS does not take is told, with what PowerDNS says; the others are done', async () => {
  const wrong = zoneOf('bang!.example.')
  const [refusal, ...rest] = await open().addZones([wrong, plain[0]!], never)
  deepEqual(rest, [])
  equal(refusal!.id, wrong.id)
  match(refusal!.reason, /contains unsupported characters \(status 422\)/)
})

test('[W53] transfers are signed with the key of the target, which is made where it is missing or another', async () => {
  const text = '@ 60 SOA ns1 host 7 3600 600 86400 60\n@ 60 NS ns1.example.\n'
  const master = await startMaster('named', { origin: 'signed.example.', text, notify: await freePort(), key })
  const signed = zoneOf('signed.example.')
  const masters = [{ host: '127.0.0.1', port: master.port }]
  try {
    const driver = open({}, { masters, key })
    for (const other of [undefined, { algorithm: 'hmac-sha512' }, { algorithm: 'hmac-sha256' }]) {
      await callApi('DELETE', '/tsigkeys/deliver-key.')
      if (other !== undefined) await callApi('POST', '/tsigkeys', { name: key.name, key: 'b3RoZXI=', ...other })
      deepEqual(await driver.addZones([signed], never), [])
      ok(await hasSerial(server.port, signed.name, 7), JSON.stringify(other))
      const keys = (await callApi('GET', '/tsigkeys')) as unknown as { name: string }[]
      equal(keys.filter(({ name }) => name === 'deliver-key').length, 1)
      deepEqual(await driver.dropZones([signed], never), [])
    }
    const named = open({ tsigkey_name: 'deliver-key' }, { masters })
    deepEqual(await named.addZones([signed], never), [])
    ok(await hasSerial(server.port, signed.name, 7), 'by tsigkey_name')
    deepEqual(await named.dropZones([signed], never), [])
    const [unknown] = await open({ tsigkey_name: 'none' }, { masters }).addZones([signed], never)
    match(unknown!.reason, /PowerDNS does not have the TSIG key none/)
    const unsupported = open({}, { masters, key: { ...key, name: 'short.', algorithm: 'hmac-sha256-128' } })
    match(
      (await unsupported.addZones([signed], never))[0]!.reason,
      /the TSIG key short\. cannot be made: Unknown TSIG alg/,
    )
  } finally {
    await master.stop()
  }
})

test('[W54] a check of a server that is as it should be finds nothing wrong', async () => {
  await callApi('DELETE', '/tsigkeys/deliver-key.')
  const levels = async (driver: Driver) => (await driver.check(never)).map(({ level, what }) => `${level}: ${what}`)
  const { api_endpoint } = server.options
  const first = [`ok: PowerDNS 4.7.3 answers at ${api_endpoint}`, 'ok: it takes zones from primaries (secondary=yes)']
  deepEqual(
    (await levels(open())).map((line) => line.replace(/4\.\d+\.\d+/, '4.7.3')),
    first,
  )
  const last = async (driver: Driver) => (await levels(driver)).at(-1)
  const keyed = open({}, { key })
  equal(await last(keyed), 'ok: the TSIG key deliver-key. is made with the first zone')
  await keyed.addZones([plain[0]!], never)
  equal(await last(keyed), 'ok: it has the TSIG key deliver-key.')
  match(
    (await last(open({}, { key: { ...key, secret: 'b3RoZXI=' } })))!,
    /^warning: it has another algorithm or secret/,
  )
  equal(await last(open({ tsigkey_name: 'none' })), 'error: it does not have the TSIG key none that tsigkey_name names')
  match(
    (await last(open({}, { masters: [{ host: 'no.such.host.invalid', port: 53 }] })))!,
    /^error: the master no\.such/,
  )
})

test('[W54] a check tells of a server that takes no zones, and of a wrong token', async () => {
  const primaryOnly = await startPdnsTarget({ more: 'secondary=no\nallow-notify-from=\nnegquery-cache-ttl=60\n' })
  try {
    const [, mode, notify, kept] = await open(primaryOnly.options).check(never)
    deepEqual([mode!.level, mode!.what], ['error', 'it takes no zones from primaries'])
    match(mode!.mend!, /secondary=yes/)
    match(notify!.what, /takes no NOTIFY/)
    deepEqual([kept!.level, kept!.mend!.includes('cache-ttl=1')], ['warning', true])
    match(kept!.what, /keeps answers for up to 60 seconds/)
    const [finding] = await open({ ...primaryOnly.options, api_token: 'wrong' }).check(never)
    match(finding!.what, /refuses our api_token$/)
    match(finding!.mend!, /api-key of pdns\.conf/)
    await rejects(open({ api_token: 'wrong' }).addZones(plain, never), Unreachable)
  } finally {
    await primaryOnly.stop()
  }
})

test('[W52] a server that hangs is left after the timeout, and one that is away or was wiped gets its zones when it is back', async () => {
  const driver = open({ timeout: 1 })
  await freeze(server.pid())
  try {
    await rejects(driver.addZones(plain, never), /^Unreachable: PowerDNS at \S+ does not answer within 1 seconds/)
  } finally {
    process.kill(server.pid(), 'SIGCONT')
  }
  await server.halt()
  await rejects(driver.dropZones(plain, never), /the connection is refused/)
  await server.wipe()
  await server.resume()
  const patient = open({}, { key })
  deepEqual(await patient.listZones!(never), [])
  deepEqual(await patient.addZones(plain, never), [])
  equal((await patient.listZones!(never)).length, plain.length)
})

type Beside = { readonly masters?: readonly HostPort[]; readonly key?: typeof key }

function open(options: Target['options'] = {}, beside: Beside = {}): Driver {
  const masters = [{ host: '127.0.0.1', port: primary.port }]
  const driver = pdns4.open(targetOf('pdns4', { ...server.options, ...options }, { masters, ...beside }))
  drivers.push(driver)
  return driver
}

/** What somebody else does at the server. */
async function callApi(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const { api_endpoint, api_token } = server.options
  const response = await fetch(`${api_endpoint}/api/v1/servers/localhost${path}`, {
    method,
    headers: { 'X-API-Key': String(api_token) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return response.headers.get('content-type') === 'application/json' && text ? JSON.parse(text) : {}
}
