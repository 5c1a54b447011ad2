import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { types } from '../src/dns/types/index.ts'
import { parseZoneFile } from '../src/dns/zonefile/zonefile.ts'
import { typeFaults } from '../src/resources/recordsets/rules.ts'
import { sqliteStore } from './support/api.ts'
import { type ImportsApi, startImportsApi } from './support/imports-api.ts'
import { comparable, readWith } from './support/zone-tools.ts'

const run = promisify(execFile)

let api: ImportsApi
let folder: string
before(async () => {
  api = await startImportsApi(sqliteStore)
  folder = mkdtempSync(join(tmpdir(), 'nameplane-imports-'))
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await api.close()
})

test('[I26] named-checkzone accepts an exported file, with the same records', async () => {
  const fit = types.filter(
    ({ type }) =>
      typeFaults(type, undefined).length === 0 && !['SOA', 'NS', 'CNAME', 'DNAME', 'DS', 'SRV', 'TLSA'].includes(type),
  )
  const lines = fit.flatMap(({ type, examples }, i) =>
    examples
      // It takes CDS and CDNSKEY in signed zones only, and an IPSECKEY only with a key.
      .filter((text) => !['CDS', 'CDNSKEY'].includes(type) && text !== '10 0 0 .')
      .map((text, n) => `t${i}-${n} 300 IN ${type} ${text}`),
  )
  const head =
    '$ORIGIN example.org.\n$TTL 3600\n@ IN SOA a. b. 7 1 2 3 4\nwww IN CNAME t1\n*.w IN A 192.0.2.1\nd IN NS ns.d\nns.d IN A 192.0.2.2\n'
  const { zone_id } = await api.imported(`${head}${lines.join('\n')}\n`)
  const text = await api.exported(zone_id!)
  const theirs = readWith('named-checkzone', text)
  equal(theirs.refused, undefined)
  deepEqual([...theirs.records!].toSorted(), comparable(parseZoneFile(text).records).toSorted())
})

/** The client as its users run it, without Keystone. */
async function openstack(...args: string[]): Promise<Record<string, string>> {
  const { stdout } = await run('openstack', [
    ...['--os-auth-type', 'none', '--os-endpoint', `${api.url}/openstack/v2`, ...args, '-f', 'json'],
  ])
  return stdout.trim() === '' ? {} : (JSON.parse(stdout) as Record<string, string>)
}

test('[I36] the openstack client imports a file, watches it, exports the zone and fetches the file', {
  timeout: 120_000,
}, async () => {
  const file = join(folder, 'client.zone')
  writeFileSync(file, '$ORIGIN client.org.\n$TTL 300\n@ IN SOA ns. admin.client.org. 3 1 1 1 1\nwww IN A 192.0.2.1\n')
  const begun = await openstack('zone', 'import', 'create', file)
  equal(begun.status, 'PENDING')
  let shown = begun
  for (let i = 0; i < 20 && shown.status === 'PENDING'; i++) {
    await sleep(100)
    shown = await openstack('zone', 'import', 'show', begun.id!)
  }
  deepEqual([shown.status, shown.message], ['COMPLETE', 'client.org. imported'])
  ok(JSON.stringify(await openstack('zone', 'import', 'list')).includes(begun.id!))
  const exported = await openstack('zone', 'export', 'create', shown.zone_id!)
  const complete = await openstack('zone', 'export', 'show', exported.id!)
  equal(complete.status, 'COMPLETE')
  ok(JSON.stringify(await openstack('zone', 'export', 'list')).includes(exported.id!))
  const fetched = await openstack('zone', 'export', 'showfile', exported.id!)
  match(fetched.data!, /^\$ORIGIN client\.org\.\n\$TTL 300\n\n/)
  match(fetched.data!, /www\.client\.org\. 300 IN A 192\.0\.2\.1/)
  await run('openstack', [
    '--os-auth-type',
    'none',
    '--os-endpoint',
    `${api.url}/openstack/v2`,
    'zone',
    'import',
    'delete',
    begun.id!,
  ])
  await run('openstack', [
    '--os-auth-type',
    'none',
    '--os-endpoint',
    `${api.url}/openstack/v2`,
    'zone',
    'export',
    'delete',
    exported.id!,
  ])
})
