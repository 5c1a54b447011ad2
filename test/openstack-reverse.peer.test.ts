import { deepEqual, equal, match } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type NetworkService, startNetworkService } from './support/network-service.ts'
import { type Openstack, startOpenstack } from './support/openstack.ts'
import { type Service, startService } from './support/service.ts'

type Row = Record<string, string | number | null>

const id = '7d5d6b5e-0f8a-4f2e-9a55-3b1b3f0a1c01'
const key = `RegionOne:${id}`

let folder: string
let network: NetworkService
let service: Service
let openstack: Openstack
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nameplane-network-'))
  const [keyFile, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=network', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const files = ['-keyout', keyFile, '-out', certificate]
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...files, ...subject],
    { stdio: 'ignore' },
  )
  const secret = { key: readFileSync(keyFile), cert: readFileSync(certificate) }
  network = await startNetworkService((handle) => createServer(secret, handle))
  network.floatingips.push({ id, floating_ip_address: '203.0.113.10', project_id: 'noauth-project' })
  const env = {
    NAMEPLANE_NETWORK_URL: network.url,
    NAMEPLANE_NETWORK_CA_FILE: certificate,
    NAMEPLANE_NETWORK_IDENTITY_URL: `${network.url}/v3`,
    NAMEPLANE_NETWORK_USERNAME: 'dns',
    NAMEPLANE_NETWORK_PASSWORD: 'right',
  }
  service = await startService({ env })
  openstack = startOpenstack(service.url)
})
after(async () => {
  await openstack.stop()
  await service.stop()
  await network.close()
  rmSync(folder, { recursive: true })
})

const ptr = (...args: string[]) => openstack.json<Row>('ptr', 'record', ...args)

async function reverse(): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 1000, tries: 1 })
  resolver.setServers([`127.0.0.1:${service.dnsPort}`])
  return resolver.reverse('203.0.113.10').catch(() => [])
}

/** The address once its name is served. */
async function settled(): Promise<Row> {
  for (let i = 0; i < 100; i += 1) {
    const row = await ptr('show', key)
    if (row.status !== 'PENDING') return row
    await sleep(50)
  }
  return ptr('show', key)
}

test('[G40] the openstack command lists, sets, shows and unsets the names of floating IPs, and the name server answers', async () => {
  const [unset] = await openstack.json<Row[]>('ptr', 'record', 'list')
  deepEqual([unset!.id, unset!.ptrdname || null], [key, null])
  const made = await ptr('set', key, 'smtp.example.org.', '--ttl', '600', '--description', 'mail')
  deepEqual(
    [made.ptrdname, made.ttl, made.description, made.address],
    ['smtp.example.org.', 600, 'mail', '203.0.113.10'],
  )
  const shown = await settled()
  deepEqual([shown.ptrdname, shown.status, shown.action], ['smtp.example.org.', 'ACTIVE', 'NONE'])
  deepEqual(await reverse(), ['smtp.example.org'])
  equal((await openstack.run('ptr', 'record', 'unset', key)).code, 0)
  equal((await settled()).status, 'INACTIVE')
  deepEqual(await reverse(), [])
  match(
    (await openstack.run('ptr', 'record', 'show', `RegionOne:${id.replace('1', '2')}`)).err,
    /is not associated for project/,
  )
  match((await openstack.run('ptr', 'record', 'show', 'abc')).err, /is not in the format of/)
})

test('[G33] a certificate that is not trusted is not taken', async () => {
  const wary = await startService({ env: { NAMEPLANE_NETWORK_URL: network.url } })
  try {
    const headers = { 'X-Auth-Token': 'x' }
    const response = await fetch(`${wary.url}/v2/reverse/floatingips`, { headers })
    const body = (await response.json()) as { type: string; message: string }
    deepEqual([response.status, body.type], [504, 'neutron_communication_failure'])
    match(body.message, /SELF_SIGNED_CERT/)
  } finally {
    await wary.stop()
  }
})
