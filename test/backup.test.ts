import { equal, match } from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runNameplane } from './support/program.ts'
import { startService } from './support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-backup-'))
after(() => rmSync(folder, { recursive: true }))

test('[L22] a backup of a service in use has all that was answered before it began, secrets too, and can be served', async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  const post = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    equal(answer.status, 201)
    return (await answer.json()) as { id: string }
  }
  const secret = 'c2VjcmV0IHNlY3JldCBzZWNyZXQh'
  const pool = '794ccc2c-d751-44fe-b57f-8894c9f5c842'
  const key = { name: 'kept', algorithm: 'hmac-sha256', secret, scope: 'POOL', resource_id: pool }
  const { id: keyId } = await post('/v2/tsigkeys', key)
  const answered: string[] = []
  let isDone = false
  const writers = [1, 2, 3, 4].map(async (writer) => {
    for (let i = 0; !isDone && i < 5000; i += 1) answered.push((await post('/v2/tlds', { name: `w${writer}n${i}` })).id)
  })
  while (answered.length < 50) await sleep(5)
  const before = [...answered]
  const copy = join(folder, 'new', 'copy')
  const { code, stdout, stderr } = await runNameplane(['backup', copy, '--data-dir', service.dataDir])
  isDone = true
  await Promise.all(writers)
  equal(code, 0, stderr)
  equal(stdout, `Backed up to ${copy}.\n`)
  equal(statSync(copy).mode & 0o777, 0o700)
  equal(readdirSync(copy).toSorted().join(), 'nameplane.db,secret.key')
  equal(statSync(join(copy, 'secret.key')).mode & 0o777, 0o600)

  await service.kill('SIGKILL')
  rmSync(service.dataDir, { recursive: true })
  cpSync(copy, service.dataDir, { recursive: true })
  await service.restart()
  for (const id of before) equal((await fetch(`${service.url}/v2/tlds/${id}`)).status, 200)
  const shown = (await (await fetch(`${service.url}/v2/tsigkeys/${keyId}`)).json()) as { secret: string }
  equal(shown.secret, secret)
})

test('[L22] a backup that cannot be made says why in one line, and writes over nothing', async () => {
  const dataDir = join(folder, 'data')
  equal((await runNameplane(['migrate', '--data-dir', dataDir])).code, 0)
  const full = join(folder, 'full')
  mkdirSync(full)
  writeFileSync(join(full, 'other'), 'keep me')
  for (const [args, code, said] of [
    [[full, '--data-dir', dataDir], 1, /is not empty/],
    [[join(full, 'other'), '--data-dir', dataDir], 1, /cannot back up to/],
    [[join(folder, 'nothing'), '--data-dir', join(folder, 'nowhere')], 1, /there is no database in .*nowhere/],
    [[join(folder, 'nothing'), '--database-url', 'postgres://localhost/x'], 1, /pg_dump/],
    [['--data-dir', dataDir], 2, /takes one folder/],
  ] as const) {
    const result = await runNameplane(['backup', ...args])
    equal(result.code, code)
    match(result.stderr, /^nameplane: [^\n]+\n$/)
    match(result.stderr, said)
  }
  equal(readdirSync(full).join(), 'other')
})
