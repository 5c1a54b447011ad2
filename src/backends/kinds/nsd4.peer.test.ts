import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { freeze } from '../../../test/support/freeze.ts'
import { startMaster } from '../../../test/support/masters.ts'
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
import { makeCertificates, startNsdTarget } from '../../../test/support/targets-nsd.ts'
import { type Driver, type Target, Unreachable } from '../kind.ts'
import { nsd4 } from './nsd4.ts'

const key = { name: 'deliver-key.', algorithm: 'hmac-sha256', secret: Buffer.from('shared').toString('base64') }
const many = Array.from({ length: 1000 }, (_, i) => zoneOf(`z${i}.many.example.`))
const odd = ['0/25.2.0.192.in-addr.arpa.', 'a\\032b.example.', 'sla\\.sh.example.', '_under.example.'].map(zoneOf)
const plain = ['one.example.', 'Two.Example.', 'three.example.'].map(zoneOf)
const smallText = '@ 60 SOA ns1 host 7 3600 600 86400 60\n@ 60 NS ns1.example.\n'
const run = promisify(execFile)
const never = new AbortController().signal
const more = `pattern:
  name: "other"
  zonefile: ""
  request-xfr: 192.0.2.9 NOKEY
pattern:
  name: "own"
  zonefile: ""
zone:
  name: "fixed.example"
  zonefile: "fixed.zone"
`

let primary: NameServer
let server: DeliveryTarget
let files: string
const drivers: Driver[] = []
before(async () => {
  primary = await startPrimary([...many, ...odd, ...plain])
  server = await startNsdTarget(primary.port, { more })
  files = await mkdtemp(join(tmpdir(), 'nameplane-nsd-files-'))
})
after(async () => {
  for (const driver of drivers) await driver.close()
  await server?.stop()
  await primary?.stop()
  await rm(files, { recursive: true, force: true })
})

test('[W45] zones that are added are served, of any name, and those that are dropped are not', async () => {
  const driver = open()
  deepEqual(await driver.addZones([...plain, ...odd], never), [])
  for (const { name } of [...plain, ...odd]) ok(await hasSerial(server.port, name, 1), name)
  deepEqual(
    (await driver.listZones!(never)).toSorted(),
    ['fixed.example.', ...[...plain, ...odd].map(({ name }) => name.toLowerCase())].toSorted(),
  )
  deepEqual(await driver.dropZones(odd, never), [])
  for (const { name } of odd) ok(await hasSerial(server.port, name, undefined), name)
  for (const { name } of plain) equal(await serialOf(server.port, name), 1)
})

test('[W47] no name of a zone leads NSD to a file outside its folder', async () => {
  const outside = join(files, 'outside')
  const name = `${outside}.example.`
  const master = await startMaster('named', { origin: name, text: smallText, notify: await freePort() })
  const beside = await startNsdTarget(master.port)
  try {
    deepEqual(await open(beside.options).addZones([zoneOf(name)], never), [])
    ok(await hasSerial(beside.port, name, 7))
    const { stdout } = await run('nsd-control', ['-c', join(beside.folder, 'nsd.conf'), 'write'])
    equal(stdout, 'ok\n')
    ok(await until(async () => (await readdir(beside.folder)).some((file) => file.endsWith('outside.example..zone'))))
    deepEqual(await readdir(files), [])
    deepEqual(await open(beside.options).listZones!(never), [name.toLowerCase()])
  } finally {
    await beside.stop()
    await master.stop()
  }
})

test('[W45] a thousand zones at once are served, and a change comes with NOTIFY', async (t) => {
  const driver = open()
  const began = performance.now()
  for (let at = 0; at < many.length; at += nsd4.batch)
    deepEqual(await driver.addZones(many.slice(at, at + nsd4.batch), never), [])
  const told = performance.now() - began
  ok(await hasAll(server.port, many))
  t.diagnostic(`1,000 zones told in ${told} ms, served after ${performance.now() - began} ms`)
  const took = await timeChanges(primary, server.port, 'one.example.', 10)
  t.diagnostic(`a change by NOTIFY: median ${took[5]} ms, most ${took[9]} ms`)
  deepEqual(await driver.dropZones(many, never), [])
  deepEqual(
    (await driver.listZones!(never)).filter((name) => name.endsWith('.many.example.')),
    [],
  )
})

test('[W46] what was done before is done again without harm', async () => {
  const driver = open()
  for (let round = 0; round < 2; round++) deepEqual(await driver.addZones(plain, never), [])
  for (const { name } of plain) ok((await serialOf(server.port, name)) !== undefined, name)
  for (let round = 0; round < 2; round++) deepEqual(await driver.dropZones([zoneOf('gone.example.')], never), [])
})

test('[W46] a zone that is there with another pattern comes under the one of the target', async () => {
  const [driver, other] = [open(), open({ pattern: 'other' })]
  for (const zones of [many.slice(0, 1), many.slice(0, 12)]) {
    deepEqual(await other.addZones(zones, never), [])
    for (const { name } of zones) ok(await hasSerial(server.port, name, undefined), name)
    deepEqual(await driver.addZones(zones, never), [])
    for (const { name } of zones) ok(await hasSerial(server.port, name, 1), name)
  }
  deepEqual(await driver.dropZones(many.slice(0, 12), never), [])
})

test('[W46] a zone that is the server’s own is refused, and stays as it is when the one here is dropped', async () => {
  const [driver, own] = [open(), open({ pattern: 'own' })]
  for (const zones of [many.slice(0, 1), many.slice(0, 12)]) {
    deepEqual(await own.addZones(zones, never), [])
    const refusals = await driver.addZones(zones, never)
    deepEqual(refusals.map(({ id }) => id).toSorted(), zones.map(({ id }) => id).toSorted())
    match(refusals[0]!.reason, /^NSD has a zone of this name of its own \(pattern own\)/)
    deepEqual(await driver.dropZones(zones, never), [])
    const present = new Set(await driver.listZones!(never))
    ok(zones.every(({ name }) => present.has(name)))
    deepEqual(await own.dropZones(zones, never), [])
  }
})

test('[W49] a server that has no zones yet is well', async () => {
  const empty = await startNsdTarget(primary.port)
  try {
    deepEqual(await open(empty.options).listZones!(never), [])
    const findings = await open(empty.options).check(never)
    deepEqual(
      findings.map(({ level }) => level),
      ['ok', 'ok', 'ok', 'ok'],
    )
  } finally {
    await empty.stop()
  }
})

test('[W47] each zone that NSD does not take or let go is told, with what NSD says; the others are done', async () => {
  const driver = open()
  deepEqual(await driver.addZones([plain[0]!, zoneOf('fixed.example.')], never), [
    { id: 'id of fixed.example.', reason: 'NSD has it as a primary zone in its nsd.conf: take it out there' },
  ])
  const [refusal, ...rest] = await driver.dropZones([zoneOf('fixed.example.'), plain[2]!], never)
  match(refusal!.reason, /defined in nsd\.conf, cannot delete it/)
  deepEqual(rest, [])
  ok(await hasSerial(server.port, 'three.example.', undefined))
  const reasons = async (pattern: string) =>
    (await open({ pattern }).addZones(plain, never)).map(({ reason }) => reason).join()
  match(await reasons('nope'), /^(,?pattern nope does not exist){3}$/)
  match(await reasons('slave\nNSDCT1 stop'), /^(,?NSD takes no pattern with spaces[^,]*){3}$/)
})

test('[W49] a check of a server that is as it should be finds nothing wrong, and advises what NSD does not tell', async () => {
  const driver = open()
  deepEqual(await driver.addZones(plain, never), [])
  for (const { name } of plain) ok(await hasSerial(server.port, name, await serialOf(primary.port, name)), name)
  const findings = await driver.check(never)
  deepEqual(
    findings.map(({ level }) => level),
    ['ok', 'ok', 'ok', 'ok'],
  )
  match(findings[0]!.what, /^NSD 4\.\d+\.\d+ answers at 127\.0\.0\.1:\d+$/)
  match(findings[2]!.what, /^3 zones of the pattern slave$/)
  match(findings[3]!.mend!, /xfrd-reload-timeout: 0/)
})

test('[W49] a check tells of a pattern that is not there, and of zones that have no content', async () => {
  const [, missing] = await open({ pattern: 'nope' }).check(never)
  equal(missing!.level, 'error')
  match(missing!.mend!, /name: "nope", request-xfr and allow-notify to nsd\.conf/)
  const driver = open()
  await driver.addZones([zoneOf('nobody-has.example.')], never)
  const [, , content] = await driver.check(never)
  equal(content!.level, 'warning')
  match(content!.what, /^1 of \d+ zones of the pattern slave have no content/)
  await driver.dropZones([zoneOf('nobody-has.example.')], never)
})

test('[W49] transfers are signed with the key of the target, and a check compares it with that of NSD', async () => {
  const master = await startMaster('named', {
    origin: 'signed.example.',
    text: smallText,
    notify: await freePort(),
    key,
  })
  const signed = await startNsdTarget(master.port, { key })
  try {
    const driver = open(signed.options, key)
    deepEqual(await driver.addZones([zoneOf('signed.example.')], never), [])
    ok(await hasSerial(signed.port, 'signed.example.', 7))
    const found = async (other: typeof key) => (await open(signed.options, other).check(never))[2]!
    deepEqual(await found(key), { level: 'ok', what: 'NSD has the TSIG key deliver-key.' })
    equal(
      (await found({ ...key, secret: 'b3RoZXI=' })).what,
      'NSD has another algorithm or secret for the TSIG key deliver-key.',
    )
    equal((await found({ ...key, name: 'none.' })).what, 'NSD does not have the TSIG key none.')
  } finally {
    await signed.stop()
    await master.stop()
  }
})

test('[W48] certificates that do not fit are told by what is wrong with them, and how to mend it', async () => {
  await makeCertificates(files)
  const file = (name: string) => join(files, name)
  await writeFile(file('nothing.pem'), 'no certificate')
  await copyFile(String(server.options.certfile), file('copy.pem'))
  const cases: readonly (readonly [Target['options'], RegExp])[] = [
    [{ certfile: file('nsd_control.pem'), keyfile: file('nsd_control.key') }, /our certificate .*nsd_control\.pem/],
    [{ ca_certs: file('nsd_server.pem') }, /certificate that we do not trust: it is not that of ca_certs/],
    [{ ca_certs: file('nothing.pem') }, /nothing\.pem has no certificate in it/],
    [{ certfile: file('missing.pem') }, /^certfile .*missing\.pem is not there/],
    [{ certfile: file('nothing.pem') }, /are not a certificate and its key/],
    [{ certfile: file('copy.pem'), keyfile: file('nsd_control.key') }, /are not a certificate and its key/],
  ]
  for (const [options, what] of cases) {
    const driver = open(options)
    await rejects(driver.addZones(plain, never), (error) => error instanceof Unreachable && what.test(error.message))
    const [finding] = await driver.check(never)
    equal(finding!.level, 'error')
    match(finding!.what, what)
    ok(finding!.mend)
  }
  const { ca_certs: _, ...trusting } = server.options
  const unpinned = nsd4.open(targetOf('nsd4', trusting))
  drivers.push(unpinned)
  await rejects(unpinned.listZones!(never), /do not trust: no ca_certs is given/)
  equal((await open({ verify_ssl: false, ca_certs: file('nsd_server.pem') }).check(never))[0]!.level, 'ok')
})

test('[W48] a server that stops answering in the middle is left after the timeout, and found again when it goes on', async () => {
  const driver = open({ timeout: 1 })
  await freeze(server.pid())
  try {
    await rejects(
      driver.addZones(plain, never),
      /^Unreachable: NSD at 127\.0\.0\.1:\d+ does not finish .* within 1 seconds/,
    )
  } finally {
    process.kill(server.pid(), 'SIGCONT')
  }
  equal((await open().check(never))[0]!.level, 'ok')
})

test('[W45] the control channel may be a socket of this machine, which needs no certificate', async () => {
  const socket = join(files, 'control.sock')
  const local = await startNsdTarget(primary.port, { control: socket })
  try {
    const driver = nsd4.open(targetOf('nsd4', { port: local.port, control_host: socket }))
    drivers.push(driver)
    deepEqual(await driver.addZones(many, never), [])
    ok(await hasAll(local.port, many))
    match((await driver.check(never))[0]!.what, /^NSD 4\S+ answers at \/.*control\.sock$/)
  } finally {
    await local.stop()
  }
})

test('[W46] a server that was wiped, or only restarted, has its zones when they are added again', async () => {
  const driver = open()
  await driver.addZones(plain, never)
  await server.halt()
  await rejects(driver.addZones(plain, never), /the connection is refused/)
  await server.wipe()
  await server.resume()
  deepEqual(await driver.listZones!(never), ['fixed.example.'])
  for (let round = 0; round < 2; round++) {
    deepEqual(await driver.addZones(plain, never), [])
    for (const { name } of plain) ok(await hasSerial(server.port, name, await serialOf(primary.port, name)), name)
    await server.halt()
    await server.resume()
  }
})

function open(options: Target['options'] = {}, withKey?: typeof key): Driver {
  const driver = nsd4.open(targetOf('nsd4', { ...server.options, ...options }, withKey && { key: withKey }))
  drivers.push(driver)
  return driver
}
