import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { timestamp } from '../src/clock.ts'
import { sql } from '../src/db/sql.ts'
import type { CheckFinding } from '../src/resources/pool-checks/fields.ts'
import * as checks from '../src/resources/pool-checks/store.ts'
import { type Api, type Shown, sqliteStore, startTestApi } from './support/api.ts'
import { root, startProgram } from './support/program.ts'
import { type Recorder, startRecorder } from './support/recorder.ts'

let api: Api
let recorder: Recorder
let folder: string
before(async () => {
  api = await startTestApi(sqliteStore)
  recorder = await startRecorder(api.url)
  folder = mkdtempSync(join(tmpdir(), 'nameplane-pools-'))
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await recorder.close()
  await api.close()
})

async function cli(args: readonly string[], url = recorder.url): Promise<{ code: unknown; out: string; err: string }> {
  recorder.take()
  const program = startProgram(process.execPath, [join(root, 'bin', 'nameplane'), 'pools', ...args], {
    cwd: folder,
    env: { NAMEPLANE_URL: url },
  })
  const code = await program.ended
  return { code, out: program.stdout(), err: program.stderr() }
}

const writes = () => recorder.take().filter((request) => !request.startsWith('GET '))

function written(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const defaultPool = '/v2/pools/794ccc2c-d751-44fe-b57f-8894c9f5c842'
const two = `---
- name: default
  description: Default BIND Pool
  attributes: {}
  ns_records:
    - hostname: ns1-1.example.org.
      priority: 1
  nameservers:
    - host: 192.0.2.2
      port: 53
  targets:
    - type: bind9
      description: BIND9 Server 1
      masters:
        - host: 192.0.2.1
          port: 5354
      options:
        host: 192.0.2.2
        port: 53
        rndc_host: 192.0.2.2
        rndc_port: 953
        rndc_key_file: /etc/designate/rndc.key
    - type: pdns4
      masters: [{host: 192.0.2.1, port: 5354}]
      options: {host: 192.0.2.3, port: 53, api_endpoint: 'http://192.0.2.3:8081', api_token: sesame}
  also_notifies:
    - host: 192.0.2.4
      port: 53
- name: second
  threshold_percentage: 50
  catalog_zone:
    catalog_zone_fqdn: catalog.example.
    catalog_zone_tsig_key: c2VzYW1lc2VzYW1l
`

test('[W21] the plan is shown first; with nobody to say yes the command ends with 2 and changes nothing', async () => {
  const file = written('pools.yaml', two)
  const shown = await cli(['apply', file])
  equal(shown.code, 2, shown.err)
  deepEqual(writes(), [])
  match(shown.out, /^~ pool default \(794ccc2c-/)
  match(shown.out, /^ {2}~ ns_records: ns1\.nameplane\.test\. \(1\) → ns1-1\.example\.org\. \(1\)$/m)
  match(shown.out, /^ {2}\+ target bind9 192\.0\.2\.2:53$/m)
  match(shown.out, /^\+ pool second$/m)
  match(shown.out, /^7 changes: 5 to add, 2 to change, 0 to remove\.$/m)
  match(shown.err, /nobody is here to say yes.*--yes/)
  const dry = await cli(['apply', '--dry-run', file])
  equal(dry.code, 0)
  match(dry.out, /Nothing was changed: this was a dry run\.\n$/)
  deepEqual(writes(), [])
})

test('[W22] applying a file makes the pools what it says; applying it again sends nothing', async () => {
  const file = written('pools.yaml', two)
  const first = await cli(['apply', '--yes', file])
  equal(first.code, 0, first.err)
  match(first.out, /7 changes made\.\n$/)
  equal(writes().length, 7)
  const { body } = await api.list(`${defaultPool}/targets`)
  deepEqual(
    body.targets!.map(({ type, secrets_set }) => [type, secrets_set]),
    [
      ['bind9', []],
      ['pdns4', ['api_token']],
    ],
  )
  const second = await cli(['apply', file])
  equal(second.code, 0, second.err)
  match(second.out, /Nothing to change\.\n$/)
  deepEqual(writes(), [])
  for (const { out, err } of [first, second]) doesNotMatch(out + err, /sesame|c2VzYW1l/)
})

test('[W20] what a file does not speak of stays as it is, and pools it does not have stay', async () => {
  const { code, out } = await cli(['apply', '--yes', written('less.yaml', '- name: default\n  description: other\n')])
  equal(code, 0)
  match(out, /^1 change: 0 to add, 1 to change, 0 to remove\.$/m)
  deepEqual(writes(), [`PATCH ${defaultPool}`])
  equal((await api.list(`${defaultPool}/targets`)).body.targets!.length, 2)
  equal((await api.list('/v2/pools?name=second', { 'X-Auth-All-Projects': 'true' })).body.pools!.length, 1)
})

test('[W26] --secrets sends the secrets again', async () => {
  const file = written('pools.yaml', two.replace('Default BIND Pool', 'other'))
  match((await cli(['apply', file])).out, /note: api_token of pdns4 192\.0\.2\.3:53 is set already/)
  const again = await cli(['apply', '--yes', '--secrets', file])
  equal(again.code, 0, again.err)
  match(again.out, /api_token: \(secret\) set/)
  equal(writes().length, 1)
})

test('[W24] nothing is sent of a file with faults, those that only the service can tell among them', async () => {
  const id = '01234567-89ab-4def-8123-456789abcdef'
  const key = await api.post('/v2/tsigkeys', {
    name: 'of-zone',
    algorithm: 'hmac-sha256',
    secret: 'c2VzYW1l',
    scope: 'ZONE',
    resource_id: (await api.post('/v2/zones', { name: 'keyed.example.', email: 'a@example.org' })).body.id,
  })
  const file = written(
    'bad.yaml',
    `- name: default
  ns_records: []
  nameservers: [{host: 192.0.2.2, port: 53, tsigkey_id: ${id}}]
  targets:
    - {type: catalog, tsigkey_id: ${key.body.id}}
    - {type: pdns4, masters: [{host: 192.0.2.1}], options: {api_endpoint: 'http://192.0.2.77:8081'}}
`,
  )
  const { code, err, out } = await cli(['apply', '--yes', file])
  equal(code, 1)
  equal(out, '')
  match(err, /pools\[0\]\.ns_records: must keep at least one/)
  match(err, new RegExp(`:3:45: pools\\[0\\]\\.nameservers\\[0\\]\\.tsigkey_id: there is no TSIG key ${id}`))
  match(err, /pools\[0\]\.targets\[0\]\.tsigkey_id: the TSIG key .* has the scope ZONE/)
  match(err, /pools\[0\]\.targets\[1\]\.options\.api_token: is required/)
  match(err, /Nothing was changed\.\n$/)
  deepEqual(writes(), [])
  const other = await cli([
    'apply',
    '--yes',
    written('other.yaml', '- {name: new}\n- {name: x, targets: [{type: infoblox}]}\n'),
  ])
  equal(other.code, 1)
  match(other.err, /pool "x" has a target of type "infoblox", which is not supported; supported are/)
  deepEqual(recorder.take(), [])
})

test('[W23] a refusal ends the run and says what was done; the next run goes on from there', async (t) => {
  const closed = await startRecorder(api.url, (request) => /^POST .*\/nameservers/.test(request))
  t.after(() => closed.close())
  const text = `- name: default
  nameservers: [{host: 192.0.2.50, port: 53}]
  targets: [{type: catalog, options: {host: 192.0.2.50}}]
`
  const file = written('moved.yaml', text)
  const stopped = await cli(['apply', '--yes', file], closed.url)
  equal(stopped.code, 1)
  match(stopped.err, /could not add nameserver 192\.0\.2\.50:53: not now\n.*1 of 5 changes were made/)
  equal((await api.list(`${defaultPool}/targets`)).body.targets!.length, 3)
  const resumed = await cli(['apply', '--yes', file])
  equal(resumed.code, 0, resumed.err)
  deepEqual(
    writes().map((request) => request.replace(/\/[0-9a-f-]{36}$/, '/…')),
    [
      `POST ${defaultPool}/nameservers`,
      `DELETE ${defaultPool}/nameservers/…`,
      `DELETE ${defaultPool}/targets/…`,
      `DELETE ${defaultPool}/targets/…`,
    ],
  )
})

test('[W23] what the service refuses to tell is said in its words', async (t) => {
  const closed = await startRecorder(api.url, (request) => request.startsWith('GET /v2/pools'))
  t.after(() => closed.close())
  for (const command of [['apply', written('one.yaml', '- name: default\n')], ['export'], ['check'], ['status']]) {
    const { code, err } = await cli(command, closed.url)
    equal(code, 1)
    equal(err, 'nameplane: the service refused (500): not now\n')
  }
})

test('[W27] --delete takes away the pools that the file does not have, but none that holds zones', async () => {
  const all = { 'X-Auth-All-Projects': 'true' }
  const second = (await api.list('/v2/pools?name=second', all)).body.pools![0]!
  const file = written('only.yaml', '- name: default\n')
  equal((await cli(['apply', file])).code, 0)
  const zone = await api.post('/v2/zones', { name: 'held.example.', email: 'a@example.org' })
  await api.db.write(async (tx) => {
    await tx.run(sql`update zones set pool_id = ${second.id} where id = ${zone.body.id}`)
  })
  const held = await cli(['apply', '--yes', '--delete', file])
  equal(held.code, 1)
  match(held.err, /could not delete pool second: the pool still holds zones/)
  await api.db.write(async (tx) => {
    await tx.run(sql`update zones set pool_id = '794ccc2c-d751-44fe-b57f-8894c9f5c842' where id = ${zone.body.id}`)
  })
  const gone = await cli(['apply', '--yes', '--delete', file])
  equal(gone.code, 0, gone.err)
  match(gone.out, new RegExp(`^- pool second \\(${second.id}\\)$`, 'm'))
  equal((await api.list('/v2/pools', all)).body.pools!.length, 1)
})

test('[W28] export writes what apply reads, to the standard output or to a file of its owner alone', async () => {
  const out = await cli(['export'])
  equal(out.code, 0, out.err)
  match(out.out, /^# .*\n\n?- id: 794ccc2c-/)
  match(out.out, /^ {2}name: default$/m)
  const file = join(folder, 'exported.yaml')
  equal((await cli(['export', '--file', file, 'default'])).code, 0)
  equal(readFileSync(file, 'utf8'), out.out)
  equal(statSync(file).mode & 0o777, 0o600)
  const back = await cli(['apply', file])
  match(back.out, /^Nothing to change\.\n$/)
  const none = await cli(['export', 'nowhere'])
  equal(none.code, 1)
  match(none.err, /there is no pool "nowhere"; there are default/)
})

const finding = (level: CheckFinding['level'], what: string, more: Partial<CheckFinding> = {}): CheckFinding => ({
  server_id: null,
  server: 'bind9 192.0.2.50:53',
  zone: null,
  level,
  what,
  mend: null,
  ...more,
})

/** Does in place of the delivery loop what it does with the next check that is asked for. */
async function answerCheck(findings: readonly CheckFinding[]): Promise<string> {
  for (let i = 0; i < 500; i++) {
    const depth = await api.db.write(async (tx) => {
      const next = await checks.pendingOf(tx, [defaultPool.slice(-36)])
      if (next === undefined) return undefined
      const at = timestamp(new Date())
      await checks.begin(tx, next.id, at)
      await checks.finish(tx, next.id, { status: 'COMPLETE', findings, zones_checked: 3 }, at)
      return next.depth
    })
    if (depth !== undefined) return depth
    await sleep(20)
  }
  throw new Error('nobody asked for a check')
}

test('[W29] check tells per server what is right and wrong and how to mend it, and ends with 1 on an error', async () => {
  const wrong = cli(['check', 'default'])
  const depth = await answerCheck([
    finding('ok', 'answers DNS'),
    finding('error', 'its control channel refuses our key', { mend: 'set rndc_key_file\nto the key of named.conf' }),
    finding('warning', 'is slow\u001b[2J', { server: 'knot 192.0.2.51:53' }),
  ])
  equal(depth, 'reach')
  const told = await wrong
  equal(told.code, 1)
  equal(
    told.out,
    `pool default
  bind9 192.0.2.50:53
    ok      answers DNS
    error   its control channel refuses our key
            mend: set rndc_key_file
                  to the key of named.conf
  knot 192.0.2.51:53
    warning is slow\ufffd[2J
  2 servers: 1 error, 1 warning.
`,
  )
  const right = cli(['check'])
  await answerCheck([finding('ok', 'answers DNS'), finding('warning', 'is slow')])
  equal((await right).code, 0)
})

test('[W29] audit asks for serials, and with --content for content', async () => {
  const serials = cli(['audit'])
  equal(await answerCheck([finding('error', 'has serial 3 and not 5', { zone: 'example.org.' })]), 'serials')
  const { code, out } = await serials
  equal(code, 1)
  match(out, /error {3}example\.org\. has serial 3 and not 5\n {2}3 zones: 1 error, 0 warnings\./)
  const content = cli(['audit', '--content', 'default'])
  equal(await answerCheck([finding('ok', 'all as it should be')]), 'content')
  equal((await content).code, 0)
})

test('[W29] a check that nobody takes up ends after --timeout, with the place where its result will be', async () => {
  const { code, err } = await cli(['check', '--timeout', '1', 'default'])
  equal(code, 1)
  const place = /no process that delivers this pool took it up; it goes on, see \S*(\/v2\/\S+),/.exec(err)?.[1]
  equal((await api.get<Shown>(place!)).body.status, 'PENDING')
  equal((await cli(['check', '--timeout', 'soon'])).code, 2)
})

test('[W29] status shows the servers of each pool', async () => {
  const { code, out } = await cli(['status'])
  equal(code, 0)
  match(
    out,
    /^pool default: ERROR, 1 server\n {2}SERVER +ROLE +TYPE +STATUS .*\n {2}192\.0\.2\.50:53 +nameserver +.*UNKNOWN/,
  )
})

test('[W29] every command of pools explains itself, and its flags are those of the documents', async () => {
  const whole = await cli(['--help'])
  const names = [...whole.out.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name!)
  deepEqual(names, ['apply', 'export', 'check', 'audit', 'status'])
  const documents = ['README.md', 'docs/operating.md', 'docs/spec/delivery.md']
  const text = documents.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  for (const name of names) {
    const { code, out } = await cli([name, '--help'])
    equal(code, 0)
    match(out, new RegExp(`^Usage: nameplane pools ${name} `, 'm'))
    ok(out.length > 400, name)
    for (const [, command] of text.matchAll(new RegExp(`nameplane pools ${name}\\b([^\n\`|]*)`, 'g'))) {
      for (const flag of command!.match(/--[a-z-]+/g) ?? [])
        ok(flag === '--help' || out.includes(`${flag} `), `${flag} of pools ${name}`)
    }
  }
  equal((await cli([])).code, 2)
  match((await cli(['aply'])).err, /did you mean apply\?/)
  equal((await cli(['apply'])).code, 2)
})
