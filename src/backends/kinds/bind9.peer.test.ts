import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { freeze } from '../../../test/support/freeze.ts'
import { type MasterKey, startMaster } from '../../../test/support/masters.ts'
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
  zoneOf,
} from '../../../test/support/targets.ts'
import { controlKey, startBindTarget } from '../../../test/support/targets-bind9.ts'
import { type Driver, type Target, type TargetZone, Unreachable } from '../kind.ts'
import { RndcConnection } from '../rndc/connection.ts'
import { makeKey } from '../rndc/key-file.ts'
import { rndcAlgorithms } from '../rndc/protocol.ts'
import { bind9 } from './bind9.ts'

const signal = AbortSignal.timeout(120_000)
const secret = Buffer.from('transfers').toString('base64')
const transferKey: MasterKey = { name: 'nameplane-transfer.', algorithm: 'hmac-sha256', secret }

const plain = ['a', 'b', 'c', 'd', 'e', 'own', 'view'].map((name) => zoneOf(`${name}.test.`))
const odd = [
  '\\000\\032\\"{\\;}\\\\.test.',
  'dot\\.in.test.',
  '\\*/\\255.test.',
  `${'x'.repeat(63)}.${'y'.repeat(63)}.test.`,
].map(zoneOf)
const many = Array.from({ length: 200 }, (_, i) => zoneOf(`many${i}.test.`))
const [a, b, c, d, e, own] = plain as [TargetZone, TargetZone, TargetZone, TargetZone, TargetZone, TargetZone]

let primary: NameServer
let server: DeliveryTarget
const drivers: Driver[] = []

before(async () => {
  primary = await startPrimary([...plain, ...odd, ...many])
  const ownZone = 'zone "own.test" { type primary; file "own"; };\n'
  server = await startBindTarget({ key: transferKey, change: (config) => config + ownZone })
})
after(async () => {
  await server?.stop()
  await primary?.stop()
})

/** A driver of the server, with whatever is said beside. */
function open(more: Target['options'] = {}, beside: Partial<Target> = {}, to = server): Driver {
  const masters = [{ host: '127.0.0.1', port: primary.port }]
  const driver = bind9.open({ ...targetOf('bind9', { ...to.options, ...more }, { masters }), ...beside })
  drivers.push(driver)
  return driver
}

async function closeAll(): Promise<void> {
  for (const driver of drivers.splice(0)) await driver.close()
}

/** What named has of a zone. */
async function shown({ name }: TargetZone, to = server): Promise<string> {
  const { rndc_port, rndc_key_name, rndc_key_secret } = to.options
  const key = makeKey(String(rndc_key_name), 'hmac-sha256', String(rndc_key_secret))
  const connection = new RndcConnection({
    host: '127.0.0.1',
    port: Number(rndc_port),
    timeout: 5000,
    key: async () => key,
    now: Date.now,
  })
  const { text, error } = await connection.run(`showzone "${name}"`, signal)
  await connection.close()
  return error || text
}

describe('BIND over rndc', { timeout: 120_000 }, () => {
  after(closeAll)

  test('[W30] zones are added as secondaries of the masters and served; adding them again changes nothing', async () => {
    const driver = open()
    deepEqual(await driver.addZones([a, b], signal), [])
    ok(await hasSerial(server.port, a.name, 1))
    ok(await hasSerial(server.port, b.name, 1))
    deepEqual(await driver.addZones([a, b], signal), [])
    equal(server.log().match(/modzone/g), null)
  })

  test('[W32] zones are dropped, and dropping one that is not there is done', async () => {
    const driver = open()
    deepEqual(await driver.addZones([c], signal), [])
    ok(await hasSerial(server.port, c.name, 1))
    deepEqual(await driver.dropZones([c, zoneOf('never.test.')], signal), [])
    ok(await hasSerial(server.port, c.name, undefined))
    deepEqual(await driver.dropZones([c], signal), [])
  })

  test('[W32] a zone that was just dropped can be added at once, twenty times over', async () => {
    const driver = open()
    for (let round = 0; round < 20; round++) {
      deepEqual(await driver.addZones([d], signal), [])
      deepEqual(await driver.dropZones([d], signal), [])
    }
    equal(await shown(d), 'not found')
  })

  test('[W32] with clean_zonefile the file goes with the zone, without it stays', async () => {
    const fileOf = async () => (await readdir(server.folder)).filter((file) => file.includes('.e.test.')).length
    for (const clean of [false, true]) {
      const driver = open({ clean_zonefile: clean })
      deepEqual(await driver.addZones([e], signal), [])
      ok(await until(async () => (await fileOf()) === 1))
      deepEqual(await driver.dropZones([e], signal), [])
      ok(await hasSerial(server.port, e.name, undefined))
      ok(await until(async () => (await fileOf()) === (clean ? 0 : 1)))
    }
  })

  test('[W31] other masters and another key are put into a zone that is there', async () => {
    const [one, two] = [
      { host: '127.0.0.1', port: primary.port },
      { host: '::1', port: 5399 },
    ]
    const key = { ...targetOf('bind9', {}, { key: transferKey }).key! }
    await open({}, { masters: [one] }).addZones([c], signal)
    deepEqual(await open({}, { masters: [one, two] }).addZones([c], signal), [])
    match(await shown(c), /primaries \{ 127\.0\.0\.1 port \d+; ::1 port 5399; \};/)
    deepEqual(await open({}, { masters: [one], key }).addZones([c], signal), [])
    match(await shown(c), /primaries \{ 127\.0\.0\.1 port \d+ key "nameplane-transfer\."; \};/)
  })

  test('[W31] masters may be given by name', async () => {
    deepEqual(await open({}, { masters: [{ host: 'localhost', port: primary.port }] }).addZones([c], signal), [])
    match(await shown(c), /127\.0\.0\.1 port \d+;/)
    const nobody = open({}, { masters: [{ host: 'nobody.invalid', port: 53 }] })
    await rejects(nobody.addZones([c], signal), /the master nobody\.invalid has no address/)
  })

  test('[W31] a zone made anew under a name takes the place of the old, and the old one does not take it away', async () => {
    const driver = open()
    const anew = { id: 'another', name: b.name }
    deepEqual(await driver.addZones([anew], signal), [])
    match(await shown(b), /\.another"/)
    ok(await hasSerial(server.port, b.name, 1))
    deepEqual(await driver.dropZones([b], signal), [])
    match(await shown(b), /\.another"/)
  })

  test("[W31] a zone of the server's own is refused and never touched", async () => {
    await writeFile(join(server.folder, 'own'), '@ 60 SOA a. b. 7 60 60 60 60\n@ 60 NS a.\n')
    await server.halt()
    await server.resume()
    const driver = open()
    const [refusal] = await driver.addZones([own], signal)
    equal(refusal?.id, own.id)
    match(refusal?.reason ?? '', /zone of this name of its own \(type primary\)/)
    deepEqual(await driver.dropZones([own], signal), [])
    equal(await serialOf(server.port, own.name), 7)
  })

  test('[W30] transfers are signed with the key of the target', async () => {
    const text = '@ 60 SOA ns1 host 3 3600 600 86400 60\n@ 60 NS ns1\nns1 60 A 192.0.2.1\n'
    const zone = zoneOf('signed.test.')
    const master = await startMaster('named', { origin: zone.name, text, notify: server.port, key: transferKey })
    try {
      const { key } = targetOf('bind9', {}, { key: transferKey })
      const masters = [{ host: '127.0.0.1', port: master.port }]
      deepEqual(await open({}, { masters, key }).addZones([zone], signal), [])
      ok(await hasSerial(server.port, zone.name, 3))
    } finally {
      await master.stop()
    }
  })

  test('[W33] names of any octets are added, kept over a restart, and dropped', async () => {
    const driver = open()
    deepEqual(await driver.addZones(odd, signal), [])
    for (const { name } of odd) ok(await hasSerial(server.port, name, 1), name)
    await server.halt()
    await server.resume()
    for (const { name } of odd) ok(await hasSerial(server.port, name, 1), name)
    deepEqual(await driver.addZones(odd, signal), [])
    deepEqual(await driver.dropZones(odd, signal), [])
    for (const { name } of odd) ok(await hasSerial(server.port, name, undefined), name)
  })

  test('[W33] a name that is none is refused with the reason, and the others are added', async () => {
    const refusals = await open().addZones([{ id: 'bad', name: 'a..test.' }, a], signal)
    deepEqual(
      refusals.map(({ id }) => id),
      ['bad'],
    )
    match(refusals[0]!.reason, /empty label/)
  })

  test('[W30] a connection that named has closed is opened anew without a word', async () => {
    const driver = open()
    deepEqual(await driver.addZones([a], signal), [])
    await server.halt()
    await server.resume()
    deepEqual(await driver.addZones([a], signal), [])
  })

  test('[W30] calls at one time are done one after another on the one connection', async () => {
    const driver = open()
    const calls = many.slice(0, 40).map((zone) => driver.addZones([zone], signal))
    deepEqual((await Promise.all(calls)).flat(), [])
    ok(await hasAll(server.port, many.slice(0, 40)))
    deepEqual(await driver.dropZones(many.slice(0, 40), signal), [])
  })

  test('[W30] 200 zones are added on one connection and served', async (t) => {
    const driver = open()
    await driver.dropZones(many, signal)
    const start = performance.now()
    deepEqual(await driver.addZones(many, signal), [])
    const added = performance.now()
    ok(await hasAll(server.port, many))
    const served = performance.now()
    deepEqual(await driver.dropZones(many, signal), [])
    const each = (from: number, to: number) => ((to - from) / many.length).toFixed(2)
    t.diagnostic(
      `${each(start, added)} ms a zone to add, ${each(start, served)} until all were served, ${each(served, performance.now())} to drop`,
    )
  })

  test('[W38] a check finds nothing wrong with the server of the recipe', async () => {
    const findings = await open({}, { key: targetOf('bind9', {}, { key: transferKey }).key }).check(signal)
    deepEqual(
      findings.map(({ level }) => level),
      ['ok', 'ok', 'ok', 'ok'],
    )
    match(findings[0]!.what, /^named 9\.\d+\.\d+\S* answers rndc; number of zones: \d+$/)
    match(findings[2]!.what, /has the transfer key nameplane-transfer\./)
    match(findings[3]!.mend!, /serial-query-rate 2000; transfers-in 200; transfers-per-ns 200;/)
  })

  test('[W38] a check tells that named does not have the key of transfers', async () => {
    const key = { ...targetOf('bind9', {}, { key: transferKey }).key!, name: 'other.' }
    const finding = (await open({}, { key }).check(signal)).find(({ level }) => level === 'error')
    match(finding?.what ?? '', /no key other\./)
    match(finding?.mend ?? '', /named\.conf/)
  })

  test('[W34] a view that named does not have is told, for adding and for dropping', async () => {
    const driver = open({ view: 'inner' })
    for (const refusals of [await driver.addZones([a], signal), await driver.dropZones([a], signal)]) {
      deepEqual(refusals, [{ id: a.id, reason: 'named has no view inner' }])
    }
    match((await driver.check(signal))[1]!.what, /no view inner/)
    const hostile = open({ view: 'x" { type primary; }; "' })
    match((await hostile.addZones([a], signal))[0]!.reason, /option view must be/)
    match((await hostile.check(signal))[1]!.what, /option view must be/)
  })

  test('[W36] a wrong secret, a key that named does not know, and a port where nothing listens each say so', async () => {
    const wrong = open({ rndc_key_secret: secret })
    await rejects(wrong.addZones([a], signal), (error: Error) => {
      ok(error instanceof Unreachable)
      match(
        error.message,
        /closed the control connection without an answer: it does not know the key nameplane-control/,
      )
      return true
    })
    await rejects(open({ rndc_key_algorithm: 'hmac-sha512' }).dropZones([a], signal), /without an answer/)
    const [finding] = await wrong.check(signal)
    equal(finding?.level, 'error')
    match(finding?.mend ?? '', /controls statement/)
    const nothing = open({ rndc_port: await freePort() })
    await rejects(nothing.addZones([a], signal), /nothing listens for rndc at 127\.0\.0\.1 port/)
  })

  test('[W36] a clock that is over five minutes off is among the reasons that are told', async () => {
    const key = makeKey(controlKey.name, controlKey.algorithm, controlKey.secret)
    const at = (skew: number) =>
      new RndcConnection({
        host: '127.0.0.1',
        port: Number(server.options.rndc_port),
        timeout: 5000,
        key: async () => key,
        now: () => Date.now() + skew,
      })
    for (const skew of [-600_000, 600_000]) {
      const connection = at(skew)
      await rejects(connection.run('status', signal), /its clock and ours differ by over 5 minutes/)
      await connection.close()
    }
  })

  test('[W36] a named that hangs is given up after rndc_timeout, or when the caller gives up', async () => {
    const driver = open({ rndc_timeout: 1 })
    deepEqual(await driver.addZones([a], signal), [])
    await freeze(server.pid())
    try {
      await rejects(driver.addZones([a], signal), /no answer over rndc at .* within 1 seconds/)
      const caller = new AbortController()
      const waiting = open().addZones([a], caller.signal)
      setTimeout(() => caller.abort(new Error('enough')), 100)
      await rejects(waiting, /enough/)
    } finally {
      process.kill(server.pid(), 'SIGCONT')
    }
    deepEqual(await driver.addZones([a], signal), [])
  })

  test('[W35] the key may stand in a key file or in an rndc.conf', async () => {
    const file = join(server.folder, 'rndc.key')
    await writeFile(file, `key "nameplane-control" { algorithm hmac-sha256; secret "${controlKey.secret}"; };\n`)
    const { rndc_key_secret: _, ...options } = server.options
    const conf = join(server.folder, 'rndc.conf')
    await writeFile(conf, 'include "rndc.key"; options { default-key "nameplane-control"; };')
    for (const place of [{ rndc_key_file: file }, { rndc_config_file: conf }]) {
      const driver = bind9.open(targetOf('bind9', { ...options, ...place }))
      equal((await driver.check(signal))[0]?.level, 'ok')
      await driver.close()
    }
  })
})

describe('BIND set up otherwise', { timeout: 60_000 }, () => {
  after(closeAll)

  const withServer = async (change: (config: string) => string, use: (other: DeliveryTarget) => Promise<void>) => {
    const other = await startBindTarget({ change })
    try {
      await use(other)
    } finally {
      await closeAll()
      await other.stop()
    }
  }

  test('[W37] without allow-new-zones each zone is refused with the setting that is missing', () =>
    withServer(
      (config) => config.replace('allow-new-zones yes;', ''),
      async (other) => {
        const driver = open({}, {}, other)
        const refusals = await driver.addZones([a, b], signal)
        deepEqual(
          refusals.map(({ id }) => id),
          [a.id, b.id],
        )
        match(refusals[0]!.reason, /allow-new-zones is not yes in its options/)
        deepEqual(await driver.dropZones([a], signal), [])
        const finding = (await driver.check(signal)).find(({ level }) => level === 'error')
        match(finding?.mend ?? '', /allow-new-zones yes;/)
      },
    ))

  test('[W37] control that is read-only is among the reasons that are told', () =>
    withServer(
      (config) => config.replace('keys { "nameplane-control"; }', 'keys { "nameplane-control"; } read-only yes'),
      async (other) => {
        const driver = open({}, {}, other)
        match((await driver.addZones([a], signal))[0]!.reason, /read-only yes/)
        equal((await driver.check(signal))[1]?.level, 'error')
      },
    ))

  test('[W34] zones are added to the view that the target names, and one is asked for where there are views', () =>
    withServer(
      (config) => `${config}view "inner" { match-clients { any; }; };\nview "outer" { };\n`,
      async (other) => {
        const driver = open({ view: 'inner' }, {}, other)
        deepEqual(await driver.addZones([a], signal), [])
        ok(await hasSerial(other.port, a.name, 1))
        match(await shown(a, other), /file "secondary\.inner\.a\.test\./)
        deepEqual(await driver.addZones([a], signal), [])
        match((await open({}, {}, other).addZones([b], signal))[0]!.reason, /does not say which: set its option view/)
        deepEqual(
          (await driver.check(signal)).map(({ level }) => level),
          ['ok', 'ok', 'ok'],
        )
        deepEqual(await driver.dropZones([a], signal), [])
        ok(await hasSerial(other.port, a.name, undefined))
      },
    ))

  test('[W35] named takes each algorithm of the control channel', () => {
    const keys = Object.keys(rndcAlgorithms).map((algorithm) => ({ algorithm, name: `k-${algorithm}`, secret }))
    const statements = keys.map((key) => `key "${key.name}" { algorithm ${key.algorithm}; secret "${secret}"; };`)
    return withServer(
      (config) =>
        statements.join('\n') + config.replace('keys { ', `keys { ${keys.map(({ name }) => `"${name}"; `).join('')}`),
      async (other) => {
        for (const { name, algorithm } of keys) {
          const key = { rndc_key_name: name, rndc_key_algorithm: algorithm, rndc_key_secret: secret }
          equal((await open(key, {}, other).check(signal))[0]?.level, 'ok', algorithm)
        }
      },
    )
  })
})
