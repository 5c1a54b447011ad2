import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { askUdp } from '../../../test/support/dns-transports.ts'
import { freeze } from '../../../test/support/freeze.ts'
import { type MasterKey, startMaster, update } from '../../../test/support/masters.ts'
import { query } from '../../../test/support/nameserver.ts'
import type { NameServer } from '../../../test/support/nameservers.ts'
import {
  type DeliveryTarget,
  hasAll,
  hasSerial,
  serialOf,
  startPrimary,
  targetOf,
  zoneOf,
} from '../../../test/support/targets.ts'
import { startKnotTarget } from '../../../test/support/targets-knot.ts'
import { signRequest } from '../../dns/tsig.ts'
import { type Driver, type Target, type TargetZone, Unreachable } from '../kind.ts'
import { knot } from './knot.ts'

const signal = AbortSignal.timeout(120_000)
const secret = Buffer.from('transfers').toString('base64')
const transferKey: MasterKey = { name: 'nameplane-transfer.', algorithm: 'hmac-sha256', secret }

const plain = ['a', 'b', 'c', 'own'].map((name) => zoneOf(`${name}.test.`))
const odd = ['\\000\\032\\"{\\;}\\\\.test.', 'dot\\.in.test.', `${'x'.repeat(63)}.${'y'.repeat(63)}.test.`].map(zoneOf)
const many = Array.from({ length: 1000 }, (_, i) => zoneOf(`many${i}.test.`))
const [a, b, c, own] = plain as [TargetZone, TargetZone, TargetZone, TargetZone]

let primary: NameServer
let server: DeliveryTarget
let drivers: Driver[] = []

before(async () => {
  primary = await startPrimary([...plain, ...odd, ...many])
  server = await startKnotTarget({
    change: (config) => `${config}zone:\n  - domain: own.test\n    file: own.zone\n    zonefile-load: whole\n`,
  })
})
after(async () => {
  for (const driver of drivers) await driver.close()
  drivers = []
  await server?.stop()
  await primary?.stop()
})

function open(more: Target['options'] = {}, beside: Partial<Target> = {}, to = server): Driver {
  const masters = [{ host: '127.0.0.1', port: primary.port }]
  const driver = knot.open({ ...targetOf('knot', { ...to.options, ...more }, { masters }), ...beside })
  drivers.push(driver)
  return driver
}

/** What knotc says to a command. */
async function knotc(...args: string[]): Promise<string> {
  const said = promisify(execFile)('/usr/sbin/knotc', ['-s', String(server.options.socket), ...args])
  const { stdout, stderr } = await said.catch((error: { stdout: string; stderr: string }) => error)
  return stdout + stderr
}

const stored = async (): Promise<string[]> => readdir(join(server.folder, 'storage'), { recursive: true })

describe('Knot over its control socket', { timeout: 120_000 }, () => {
  test('[W40] zones are added as secondaries of the masters and served; adding them again changes nothing', async () => {
    const driver = open()
    deepEqual(await driver.addZones([a, b], signal), [])
    ok(await hasSerial(server.port, a.name, 1))
    ok(await hasSerial(server.port, b.name, 1))
    const before = await knotc('conf-read')
    deepEqual(await driver.addZones([a, b], signal), [])
    equal(await knotc('conf-read'), before)
    deepEqual((await driver.listZones!(signal)).toSorted(), [a.name, b.name, own.name])
  })

  test('[W40] a change of the primary comes by NOTIFY', async () => {
    await update(primary, a.name, [`update add new.${a.name} 60 A 192.0.2.9`])
    await askUdp({ host: '127.0.0.1', port: server.port }, query(a.name, 'SOA', { opcode: 4 }), 500)
    ok(await hasSerial(server.port, a.name, 2))
  })

  test('[W42] zones are dropped with their data, and dropping one that is not there is done', async () => {
    const driver = open()
    await knotc('conf-begin')
    await knotc('conf-set', 'template[default].zonefile-sync', '0')
    equal((await knotc('conf-commit')).trim(), 'OK')
    deepEqual(await driver.addZones([c], signal), [])
    ok(await hasSerial(server.port, c.name, 1))
    await knotc('-b', 'zone-flush', c.name)
    ok((await stored()).includes('c.test.zone'))
    deepEqual(await driver.dropZones([c, zoneOf('never.test.')], signal), [])
    equal(await serialOf(server.port, c.name), undefined)
    ok(!(await stored()).includes('c.test.zone'))
    deepEqual(await driver.dropZones([c], signal), [])
    // Nothing of it is left to be served when it comes back while its primary is away.
    deepEqual(await open({}, { masters: [{ host: '127.0.0.1', port: 1 }] }).addZones([c], signal), [])
    equal(await serialOf(server.port, c.name), undefined)
    deepEqual(await driver.dropZones([c], signal), [])
    await knotc('conf-begin')
    await knotc('conf-set', 'template[default].zonefile-sync', '-1')
    equal((await knotc('conf-commit')).trim(), 'OK')
  })

  test('[W41] other masters and a key are put into what zones follow', async () => {
    const [one, two] = [
      { host: '127.0.0.1', port: primary.port },
      { host: '::1', port: 5399 },
    ]
    const { key } = targetOf('knot', {}, { key: transferKey })
    deepEqual(await open({}, { masters: [one, two], key }).addZones([a], signal), [])
    match(await knotc('conf-read', 'remote'), /address = 127\.0\.0\.1@\d+ ::1@5399\n.*key = nameplane-transfer\.\n/)
    match(await knotc('conf-read', `zone[${a.name}]`), /acl = nameplane-a-knot nameplane-a-knot-signed/)
    deepEqual(await open().addZones([a], signal), [])
    match(await knotc('conf-read', 'remote'), /address = 127\.0\.0\.1@\d+\n$/)
  })

  test('[W41] transfers and NOTIFY are signed with the key of the target', async () => {
    const text = '@ 60 SOA ns1 host 3 3600 600 86400 60\n@ 60 NS ns1\nns1 60 A 192.0.2.1\n'
    const zone = zoneOf('signed.test.')
    const master = await startMaster('named', { origin: zone.name, text, notify: 1, key: transferKey })
    try {
      const { key } = targetOf('knot', {}, { key: transferKey })
      const driver = open({}, { id: 'signed', masters: [{ host: '127.0.0.1', port: master.port }], key })
      deepEqual(await driver.addZones([zone], signal), [])
      ok(await hasSerial(server.port, zone.name, 3))
      const notify = query(zone.name, 'SOA', { opcode: 4 })
      const to = { host: '127.0.0.1', port: server.port }
      for (const message of [notify, signRequest(notify, key!, new Date()).bytes]) {
        equal((await askUdp(to, message, 500))![3]! & 15, 0)
      }
      deepEqual(await driver.dropZones([zone], signal), [])
    } finally {
      await master.stop()
    }
  })

  test("[W41] a zone of the server's own is refused and never touched, and the others are added", async () => {
    await writeFile(
      join(server.folder, 'storage', 'own.zone'),
      'own.test. 60 SOA a. b. 7 60 60 60 60\nown.test. 60 NS a.\n',
    )
    await knotc('-b', 'zone-reload', own.name)
    const driver = open()
    const refusals = await driver.addZones([own, c], signal)
    deepEqual(
      refusals.map(({ id }) => id),
      [own.id],
    )
    match(refusals[0]!.reason, /zone of this name of its own/)
    ok(await hasSerial(server.port, c.name, 1))
    deepEqual(await driver.dropZones([own, c], signal), [])
    equal(await serialOf(server.port, own.name), 7)
  })

  test('[W40] names of any octets are added, kept over a restart, and dropped', async () => {
    const driver = open()
    deepEqual(await driver.addZones(odd, signal), [])
    for (const { name } of odd) ok(await hasSerial(server.port, name, 1), name)
    await server.halt()
    await server.resume()
    for (const { name } of odd) ok(await hasSerial(server.port, name, 1), name)
    const listed = await driver.listZones!(signal)
    for (const { name } of odd) ok(listed.includes(name), name)
    deepEqual(await driver.dropZones(odd, signal), [])
    for (const { name } of odd) equal(await serialOf(server.port, name), undefined)
    const refusals = await driver.addZones([{ id: 'bad', name: 'a..test.' }, a], signal)
    deepEqual(
      refusals.map(({ id }) => id),
      ['bad'],
    )
  })

  test('[W40] 1,000 zones are added in one transaction and served', async (t) => {
    const driver = open()
    const start = performance.now()
    deepEqual(await driver.addZones(many, signal), [])
    const added = performance.now()
    ok(await hasAll(server.port, many))
    const served = performance.now()
    deepEqual(await driver.addZones(many, signal), [])
    const again = performance.now()
    deepEqual(await driver.dropZones(many, signal), [])
    const took = [added - start, served - start, again - served, performance.now() - again].map(Math.round)
    t.diagnostic(`${took[0]} ms to add, ${took[1]} until all were served, ${took[2]} to add again, ${took[3]} to drop`)
    deepEqual(
      (await driver.listZones!(signal)).filter((name) => name.startsWith('many')),
      [],
    )
  })

  test('[W41] with a template zones follow it, and nothing else is set up', async () => {
    await knotc('conf-begin')
    for (const [item, value] of [
      ['remote[ours]'],
      ['remote[ours].address', `127.0.0.1@${primary.port}`],
      ['template[members]'],
      ['template[members].master', 'ours'],
      ['template[empty]'],
    ]) {
      await knotc('conf-set', item!, ...(value === undefined ? [] : [value]))
    }
    equal((await knotc('conf-commit')).trim(), 'OK')
    const driver = open({ template: 'members' }, { id: 'other' })
    deepEqual(await driver.addZones([b, c], signal), [])
    ok(await hasSerial(server.port, c.name, 1))
    equal(await knotc('conf-read', `zone[${c.name}]`), `zone.domain = ${c.name}\nzone[${c.name}].template = members\n`)
    equal(await knotc('conf-read', `zone[${b.name}]`), `zone.domain = ${b.name}\nzone[${b.name}].template = members\n`)
    ok(!(await knotc('conf-read', 'remote')).includes('nameplane-other'))
    deepEqual(
      (await driver.check(signal)).map(({ level }) => level),
      ['ok', 'ok', 'ok', 'ok'],
    )
    deepEqual(await driver.dropZones([c], signal), [])
    const none = open({ template: 'none' })
    match((await none.addZones([c], signal))[0]!.reason, /zone\[c\.test\.\]\.template = none: not exists/)
    match((await none.check(signal)).at(-1)!.what, /has no template none/)
    match((await open({ template: 'empty' }).check(signal)).at(-1)!.what, /template empty has no master/)
    deepEqual(await driver.dropZones([b], signal), [])
  })

  test("[W43] someone else's transaction is waited for, and told of when it does not end", async () => {
    const driver = open({ timeout: 1 })
    await knotc('conf-begin')
    await knotc('conf-set', 'zone[theirs.test]')
    const waiting = driver.addZones([c], signal)
    setTimeout(() => knotc('conf-commit'), 300)
    deepEqual(await waiting, [])
    await knotc('conf-begin')
    await knotc('conf-unset', 'zone[theirs.test]')
    await rejects(driver.addZones([c], signal), (error: Error) => {
      ok(error instanceof Unreachable)
      match(error.message, /someone else has had a configuration transaction .* open for 1 seconds/)
      return true
    })
    equal((await driver.check(signal)).filter(({ level }) => level === 'warning').length, 1)
    match(await knotc('conf-diff'), /-zone\.domain = theirs\.test\./)
    equal((await knotc('conf-commit')).trim(), 'OK')
    deepEqual(await driver.dropZones([c], signal), [])
  })

  test('[W43] a transaction that we left behind, or that is empty, does not stand in the way', async () => {
    const driver = open({ timeout: 1 })
    await knotc('conf-begin')
    await knotc('conf-set', 'remote[nameplane-a-knot-transaction]')
    await knotc('conf-set', 'zone[half.test]')
    deepEqual(await driver.addZones([c], signal), [])
    ok(!(await knotc('conf-read', 'zone')).includes('half.test'))
    await knotc('conf-begin')
    deepEqual(await driver.dropZones([c], signal), [])
    ok(!(await knotc('conf-read', 'remote')).includes('transaction'))
  })

  test('[W43] calls at one time are done one after another', async () => {
    const driver = open()
    const calls = many.slice(0, 20).map((zone) => driver.addZones([zone], signal))
    deepEqual((await Promise.all(calls)).flat(), [])
    ok(await hasAll(server.port, many.slice(0, 20)))
    deepEqual(await driver.dropZones(many.slice(0, 20), signal), [])
  })

  test('[W44] a socket that is not there and a knotd that hangs each say so', async () => {
    await rejects(open({ socket: '/nowhere/knot.sock' }).addZones([a], signal), /there is no such socket/)
    const [finding] = await open({ socket: '/nowhere/knot.sock' }).check(signal)
    match(finding?.mend ?? '', /option socket of the target/)
    const driver = open({ timeout: 3 })
    await freeze(server.pid())
    try {
      await rejects(driver.addZones([c], signal), /no answer at .* within 3 seconds/)
      const caller = new AbortController()
      const waiting = driver.addZones([c], caller.signal)
      setTimeout(() => caller.abort(new Error('enough')), 100)
      await rejects(waiting, /enough/)
    } finally {
      process.kill(server.pid(), 'SIGCONT')
    }
    const start = performance.now()
    deepEqual(await driver.addZones([c], signal), [])
    // What it began when nobody waited any more is not taken for someone else's.
    ok(performance.now() - start < 2500)
    deepEqual(await driver.dropZones([c], signal), [])
  })

  test('[W44] a check finds nothing wrong with the server of the recipe', async () => {
    const findings = await open().check(signal)
    deepEqual(
      findings.map(({ level }) => level),
      ['ok', 'ok', 'ok'],
    )
    match(findings[0]!.what, /^Knot DNS 3\.\d+\.\d+ answers at /)
    equal(findings[1]!.what, 'knotd has a configuration database')
    equal(findings[2]!.mend, undefined)
  })

  test('[W44] a check tells of masters that have no address', async () => {
    const findings = await open({}, { masters: [{ host: 'nobody.invalid', port: 53 }] }).check(signal)
    match(findings.find(({ level }) => level === 'error')!.what, /the master nobody\.invalid has no address/)
  })

  test('[W44] a check tells that a server without a configuration database loses zones, and what makes one slow', async () => {
    const slow = (config: string) => config.replace('asynchronous', 'robust')
    const other = await startKnotTarget({ fromFile: true, change: slow })
    try {
      const findings = await open({}, {}, other).check(signal)
      match(findings[2]!.mend!, /journal-db-mode asynchronous/)
      const finding = findings.find(({ level }) => level === 'error')
      match(finding?.what ?? '', /runs from a configuration file: zones are lost/)
      match(finding?.mend ?? '', /conf-import/)
    } finally {
      await other.stop()
    }
  })

  test('[W44] a server that lost everything is given all again', async () => {
    const driver = open()
    await server.halt()
    await server.wipe()
    await mkdir(join(server.folder, 'storage'), { recursive: true })
    await server.resume()
    deepEqual(await driver.addZones([a], signal), [])
    ok(await hasSerial(server.port, a.name, 2))
  })
})
