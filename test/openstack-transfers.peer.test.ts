import { deepEqual, equal, match } from 'node:assert/strict'
import { hostname } from 'node:os'
import { after, before, test } from 'node:test'
import { type Openstack, startOpenstack } from './support/openstack.ts'
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

const newZone = (name: string) => openstack.json<Row>('zone', 'create', '--email', 'a@example.org', name)
const request = (...args: string[]) => openstack.json<Row>('zone', 'transfer', 'request', ...args)
const accept = (...args: string[]) => openstack.json<Row>('zone', 'transfer', 'accept', ...args)
const inProject = (project: string) => ['--sudo-project-id', project]

test('[X7] the openstack command hands a zone over', async () => {
  const zone = await newZone('cli-transfer.example.')
  const made = await request('create', 'cli-transfer.example.', '--target-project-id', 'x', '--description', 'take it')
  deepEqual([made.zone_id, made.status, made.target_project_id], [zone.id, 'ACTIVE', 'x'])
  match(String(made.key), /^[A-Z0-9]{8}$/)
  deepEqual(await request('show', String(made.id)), made)
  const listed = await openstack.json<Row[]>('zone', 'transfer', 'request', 'list')
  deepEqual(
    listed.map(({ id }) => id),
    [made.id],
  )
  const changed = await request('set', String(made.id), '--description', 'still', '--target-project-id', 'y')
  deepEqual([changed.description, changed.target_project_id], ['still', 'y'])
  const args = ['--transfer-id', String(made.id), '--key', String(made.key), ...inProject('y')]
  const taken = await accept('request', ...args)
  deepEqual([taken.status, taken.project_id, taken.zone_id], ['COMPLETE', 'y', zone.id])
  equal((await accept('show', String(taken.id), ...inProject('y'))).id, taken.id)
  const accepts = await openstack.json<Row[]>('zone', 'transfer', 'accept', 'list', '--all-projects')
  deepEqual(
    accepts.map(({ id }) => id),
    [taken.id],
  )
  equal((await openstack.json<Row>('zone', 'show', String(zone.id), ...inProject('y'))).project_id, 'y')
  deepEqual(await openstack.json('zone', 'list'), [])
  const again = await openstack.run('zone', 'transfer', 'accept', 'request', ...args)
  equal(again.code, 1)
  match(again.out + again.err, /has been used/)
})

test('[X6] the openstack command takes an offer back', async () => {
  await newZone('cli-back.example.')
  const made = await request('create', 'cli-back.example.')
  equal((await openstack.run('zone', 'transfer', 'request', 'delete', String(made.id))).code, 0)
  const left = await openstack.json<Row[]>('zone', 'transfer', 'request', 'list')
  equal(
    left.some(({ id }) => id === made.id),
    false,
  )
})

test('[X40] [X41] the openstack command abandons a zone and asks for a transfer of another', async () => {
  const zone = await newZone('cli-abandon.example.')
  equal((await openstack.run('zone', 'abandon', String(zone.id))).code, 0)
  match((await openstack.run('zone', 'show', String(zone.id))).err, /Could not find Zone/)
  const args = ['--type', 'SECONDARY', '--masters', '127.0.0.1:9', '--', 'cli-secondary.example.']
  const secondary = await openstack.run('zone', 'create', '-f', 'json', ...args)
  equal(secondary.code, 0, secondary.err)
  const { id } = JSON.parse(secondary.out) as Row
  const asked = await openstack.run('zone', 'axfr', String(id))
  equal(asked.code, 0, asked.out + asked.err)
  match((await openstack.run('zone', 'axfr', 'cli-back.example.')).err, /non Secondary/)
})

test('[V3] the openstack command shows the roles of the service', async () => {
  const rows = await openstack.json<Row[]>('dns', 'service', 'list')
  deepEqual(
    rows.map(({ service_name, status, hostname: host }) => `${service_name} ${status} ${host}`).toSorted(),
    ['api', 'central', 'mdns', 'producer', 'worker'].map((name) => `${name} UP ${hostname()}`),
  )
  const one = await openstack.json<Row>('dns', 'service', 'show', String(rows[0]!.id))
  equal(one.service_name, rows[0]!.service_name)
})
