import { deepEqual, equal, match } from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runNameplane } from './support/program.ts'
import { type Service, startService } from './support/service.ts'

const secret = Buffer.from('swordfish swordfish').toString('base64')
const key = {
  name: 'transfer',
  algorithm: 'hmac-sha256',
  secret,
  scope: 'POOL',
  resource_id: '794ccc2c-d751-44fe-b57f-8894c9f5c842',
}

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.stop())

const firstSecret = async () => {
  const answer = await fetch(`${service.url}/v2/tsigkeys`)
  const { tsigkeys } = (await answer.json()) as { tsigkeys: { secret: string }[] }
  return tsigkeys[0]?.secret
}

test('[K10] a secret is read again after a restart, lies nowhere in the data folder and is never logged', async () => {
  const body = JSON.stringify(key)
  const headers = { 'Content-Type': 'application/json' }
  const made = await fetch(`${service.url}/v2/tsigkeys`, { method: 'POST', headers, body })
  equal(made.status, 201)
  await fetch(`${service.url}/v2/tsigkeys`, { method: 'POST', headers, body: body.replace(secret, '*') })
  await fetch(`${service.url}/v2/tsigkeys?secret=x`)
  const before = service.log()
  await service.restart()
  equal(await firstSecret(), secret)
  equal(statSync(join(service.dataDir, 'secret.key')).mode & 0o777, 0o600)
  const files = readdirSync(service.dataDir).map((file) => readFileSync(join(service.dataDir, file), 'latin1'))
  const everything = [...files, before, service.log()].join()
  match(everything, /v1:[0-9a-f]{12}:/)
  equal(everything.includes(secret) || everything.includes('swordfish'), false)
})

test('[K10] a service with another key than its database does not start, and says which setting to look at', async () => {
  await service.kill('SIGTERM')
  const args = ['serve', '--api-listen', '127.0.0.1:0', '--data-dir', service.dataDir]
  const passphrase = 'not the key this was sealed with'
  const { code, stderr } = await runNameplane(args, { env: { NAMEPLANE_SECRET_KEY: passphrase } })
  equal(code, 1)
  match(stderr, /the database holds secrets we cannot read: .*secret_key/)
  equal(stderr.includes(passphrase), false)
  rmSync(join(service.dataDir, 'secret.key'))
  match((await runNameplane(args)).stderr, /the database holds secrets we cannot read: .*secret\.key/)
})

test('[K10] the key is not shown among the settings', async () => {
  const env = { NAMEPLANE_SECRET_KEY: 'a passphrase nobody may see' }
  const { stdout } = await runNameplane(['config'], { env })
  match(stdout, /^secret_key +\*\*\* +/m)
  equal(stdout.includes(env.NAMEPLANE_SECRET_KEY), false)
  const short = await runNameplane(['config'], { env: { NAMEPLANE_SECRET_KEY: 'short one' } })
  match(short.stderr, /at least 16 characters/)
  equal(short.stderr.includes('short one'), false)
})

test('[Q1] the defaults are settings: a preset, and single values in its place', async () => {
  const args = ['--quota-preset', 'designate', '--quota-zones', '-1', '--min-ttl', '60']
  const other = await startService({ args })
  try {
    const quotas = { zones: -1, zone_recordsets: 500, zone_records: 500, recordset_records: 20, api_export_size: 1000 }
    deepEqual(await (await fetch(`${other.url}/v2/quotas`)).json(), quotas)
    const limits = (await (await fetch(`${other.url}/v2/limits`)).json()) as { min_ttl: number }
    equal(limits.min_ttl, 60)
  } finally {
    await other.stop()
  }
})
