import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Openstack, startOpenstack } from './support/openstack.ts'
import { root } from './support/program.ts'
import { type Service, startService } from './support/service.ts'

type Row = Record<string, string | number | null>

let service: Service
let openstack: Openstack
before(async () => {
  service = await startService()
  openstack = startOpenstack(service.url)
})
after(async () => {
  await openstack.stop()
  await service.stop()
})

const one = (...args: string[]) => openstack.json<Row>(...args)
const list = (...args: string[]) => openstack.json<Row[]>(...args)
const fails = async (...args: string[]) => {
  const { code, err } = await openstack.run(...args)
  equal(code, 1, args.join(' '))
  return err.trim()
}
const newZone = (name: string, ...more: string[]) => one('zone', 'create', '--email', 'a@example.org', name, ...more)

/** Repeats a command until what it shows is so. */
async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i += 1) {
    if (await isSo()) return
    await sleep(25)
  }
  ok(await isSo())
}

test('zone create, show, list, set and delete, by name and by id', async () => {
  const made = await newZone('cli.example.', '--ttl', '300', '--description', 'first', '--attributes', 'tier:gold')
  deepEqual(
    [made.name, made.email, made.ttl, made.description, made.status, made.action, made.attributes],
    ['cli.example.', 'a@example.org', 300, 'first', 'PENDING', 'CREATE', 'tier:gold\n'],
  )
  await eventually(async () => (await one('zone', 'show', 'cli.example.')).status === 'ACTIVE')
  equal((await one('zone', 'show', String(made.id))).name, 'cli.example.')
  const changed = await one(
    'zone',
    'set',
    'cli.example.',
    '--ttl',
    '60',
    '--email',
    'b@example.org',
    '--no-description',
  )
  deepEqual([changed.ttl, changed.email, changed.description, changed.action], [60, 'b@example.org', null, 'UPDATE'])
  for (const filter of [
    ['--name', 'cli.example.'],
    ['--email', 'b@example.org'],
    ['--type', 'PRIMARY'],
    ['--ttl', '60'],
  ])
    deepEqual(
      (await list('zone', 'list', ...filter)).map(({ id }) => id),
      [made.id],
    )
  deepEqual(await list('zone', 'list', '--status', 'ERROR'), [])
  const gone = await one('zone', 'delete', 'cli.example.')
  deepEqual([gone.id, gone.action], [made.id, 'DELETE'])
  await eventually(async () => (await list('zone', 'list')).length === 0)
  match(await fails('zone', 'show', String(made.id)), /Could not find Zone/)
})

test('secondary zones with their masters', async () => {
  const masters = ['--masters', '192.0.2.1', '192.0.2.2:5300']
  const made = await one('zone', 'create', 'second.example.', '--type', 'SECONDARY', ...masters)
  deepEqual([made.type, made.masters], ['SECONDARY', '192.0.2.1, 192.0.2.2:5300'])
  const changed = await one('zone', 'set', 'second.example.', '--masters', '192.0.2.9')
  equal(changed.masters, '192.0.2.9')
  await one('zone', 'delete', 'second.example.')
})

test('recordset create, show, list, set and delete', async () => {
  await newZone('sets.example.')
  const made = await one(
    'recordset',
    'create',
    'sets.example.',
    'www',
    '--type',
    'A',
    '--record',
    '192.0.2.1',
    '--record',
    '192.0.2.2',
    '--ttl',
    '60',
  )
  deepEqual(
    [made.name, made.records, made.ttl, made.status],
    ['www.sets.example.', '192.0.2.1\n192.0.2.2', 60, 'PENDING'],
  )
  await eventually(
    async () => (await one('recordset', 'show', 'sets.example.', 'www.sets.example.')).status === 'ACTIVE',
  )
  const txt = ['--type', 'TXT', '--record', '"two words"', '--description', 'said']
  await one('recordset', 'create', 'sets.example.', 'txt.sets.example.', ...txt)
  deepEqual(
    (await list('recordset', 'list', 'sets.example.')).map(({ name, type, records }) => [name, type, records]).slice(2),
    [
      ['www.sets.example.', 'A', '192.0.2.1\n192.0.2.2'],
      ['txt.sets.example.', 'TXT', '"two words"'],
    ],
  )
  for (const filter of [
    ['--name', 'www.sets.example.'],
    ['--type', 'A'],
    ['--data', '192.0.2.1'],
    ['--ttl', '60'],
  ]) {
    deepEqual(
      (await list('recordset', 'list', 'sets.example.', ...filter)).map(({ id }) => id),
      [made.id],
    )
    deepEqual(
      (await list('recordset', 'list', 'all', ...filter)).map(({ id }) => id),
      [made.id],
    )
  }
  const changed = await one(
    'recordset',
    'set',
    'sets.example.',
    'www.sets.example.',
    '--record',
    '192.0.2.9',
    '--no-ttl',
  )
  deepEqual([changed.records, changed.ttl], ['192.0.2.9', null])
  const gone = await one('recordset', 'delete', 'sets.example.', 'www.sets.example.')
  deepEqual([gone.id, gone.action], [made.id, 'DELETE'])
  match(await fails('recordset', 'show', 'sets.example.', 'www.sets.example.'), /didn't resolve/)
})

test('the client shows every page of long lists', async () => {
  for (let i = 0; i < 23; i += 1) await newZone(`page${i}.many.example.`)
  equal((await list('zone', 'list', '--name', '*.many.example.')).length, 23)
  await newZone('long.example.')
  for (let i = 0; i < 45; i += 1)
    await one('recordset', 'create', 'long.example.', `n${i}`, '--type', 'A', '--record', '192.0.2.1')
  equal((await list('recordset', 'list', 'long.example.')).length, 47)
  equal((await list('recordset', 'list', 'all', '--type', 'A', '--name', '*.long.example.')).length, 45)
})

test('errors are shown in our words', async () => {
  await newZone('errors.example.')
  equal(await fails('zone', 'create', '--email', 'a@example.org', 'errors.example.'), 'Duplicate Zone')
  equal(
    await fails('zone', 'create', '--email', 'bad', 'x.example.'),
    "email: must be an e-mail address such as hostmaster@example.org, not 'bad'",
  )
  match(await fails('zone', 'create', '--email', 'a@example.org', 'com.'), /must have more than one label/)
  match(
    await fails('recordset', 'create', 'errors.example.', 'a', '--type', 'A', '--record', 'b0rk'),
    /'b0rk' is not a 'A' Record/,
  )
  const [soa] = await list('recordset', 'list', 'errors.example.', '--type', 'SOA')
  const managed = await fails('recordset', 'delete', 'errors.example.', String(soa!.id), '--edit-managed')
  match(managed, /kept by the service/)
  equal(await fails('zone', 'show', 'missing.example.'), "Name missing.example. didn't resolve")
})

test('tld, blacklist and tsigkey: create, show, list, set, delete', async () => {
  const tld = await one('tld', 'create', '--name', 'example', '--description', 'all of ours')
  equal((await one('tld', 'show', 'example')).id, tld.id)
  equal((await one('tld', 'set', 'example', '--no-description')).description, null)
  deepEqual(await list('tld', 'list'), [{ id: tld.id!, name: 'example', description: '' }])
  match(await fails('zone', 'create', '--email', 'a@example.org', 'elsewhere.org.'), /Invalid TLD/)
  equal((await openstack.run('tld', 'delete', 'example')).code, 0)
  const black = await one('zone', 'blacklist', 'create', '--pattern', '^bad\\.', '--description', 'no')
  equal((await one('zone', 'blacklist', 'show', String(black.id))).pattern, '^bad\\.')
  equal((await one('zone', 'blacklist', 'set', String(black.id), '--pattern', '^worse\\.')).pattern, '^worse\\.')
  equal((await list('zone', 'blacklist', 'list')).length, 1)
  equal((await openstack.run('zone', 'blacklist', 'delete', String(black.id))).code, 0)
  const pool = '794ccc2c-d751-44fe-b57f-8894c9f5c842'
  const of = ['--algorithm', 'hmac-sha256', '--secret', 'c2VjcmV0', '--scope', 'POOL', '--resource-id', pool]
  const key = await one('tsigkey', 'create', '--name', 'transfer', ...of)
  equal((await one('tsigkey', 'show', 'transfer')).id, key.id)
  equal((await one('tsigkey', 'set', 'transfer', '--secret', 'b3RoZXI=')).secret, 'b3RoZXI=')
  deepEqual(
    (await list('tsigkey', 'list', '--scope', 'POOL')).map(({ name }) => name),
    ['transfer'],
  )
  equal((await openstack.run('tsigkey', 'delete', 'transfer')).code, 0)
  deepEqual(await list('tsigkey', 'list'), [])
})

test('quotas are listed, set, felt and put back', async () => {
  const project = ['--project-id', 'cli-project']
  const before = await one('dns', 'quota', 'list', ...project)
  deepEqual(Object.keys(before).toSorted(), [
    'api_export_size',
    'recordset_records',
    'zone_records',
    'zone_recordsets',
    'zones',
  ])
  equal((await one('dns', 'quota', 'set', ...project, '--zones', '1')).zones, 1)
  const sudo = ['--sudo-project-id', 'cli-project']
  await newZone('within.example.', ...sudo)
  match(await fails('zone', 'create', '--email', 'a@example.org', 'over.example.', ...sudo), /Quota exceeded for zones/)
  equal((await openstack.run('dns', 'quota', 'reset', ...project)).code, 0)
  deepEqual(await one('dns', 'quota', 'list', ...project), before)
  ok((await list('zone', 'list', '--all-projects')).some(({ name }) => name === 'within.example.'))
  deepEqual(
    (await list('zone', 'list', ...sudo)).map(({ name }) => name),
    ['within.example.'],
  )
})

test('an admin token serves as well as none', async () => {
  const token = ['--os-auth-type', 'admin_token', '--os-token', 'any']
  await one(...token, 'zone', 'create', '--email', 'a@example.org', 'token.example.')
  equal((await one(...token, 'zone', 'show', 'token.example.')).name, 'token.example.')
  const { out } = await openstack.run(...token, 'zone', 'list', '-f', 'value', '-c', 'name', '--name', 'token.example.')
  equal(out, 'token.example.\n')
})

test('limits, which the command does not show, are what the client library reads', async () => {
  const script = `
import json, sys
from designateclient.v2 import client
from keystoneauth1 import noauth, session
dns = client.Client(session=session.Session(auth=noauth.NoAuth(endpoint=sys.argv[1])))
json.dump({"limits": dns.limits.get(), "nameservers": dns.nameservers.list(dns.zones.create("limits.example.", email="a@example.org")["id"])}, sys.stdout)`
  const { stdout } = await python('-c', script, `${service.url}/openstack/v2`)
  const { limits, nameservers } = JSON.parse(stdout) as { limits: Row; nameservers: Row[] }
  deepEqual([limits.max_zones, limits.max_page_limit, limits.max_zone_name_length], [1000, 1000, 255])
  deepEqual(nameservers, [{ hostname: 'ns1.nameplane.test.', priority: 1 }])
})

test('openstacksdk works on zones and record sets, page by page', async () => {
  const own = await startService()
  try {
    const script = join(root, 'test', 'support', 'openstacksdk-zones.py')
    const { stdout } = await python(script, `${own.url}/openstack`)
    deepEqual(JSON.parse(stdout), {
      created: ['sdk.example.', 'PENDING', 'CREATE', 300],
      found: true,
      missing: null,
      updated: [600, 'by program'],
      recordsets: [27, 27],
      filtered: ['n3.sdk.example.'],
      changed: [['192.0.2.7', '192.0.2.8'], 60],
      deleted: null,
      zones: [23, 23, 1],
      conflict: 'Duplicate Zone',
    })
  } finally {
    await own.stop()
  }
})

/** Debian's Python, whatever other Python the path holds. */
const python = (...args: string[]) => promisify(execFile)('/usr/bin/python3', ['-P', ...args], { timeout: 60_000 })
