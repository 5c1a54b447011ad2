import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Service, startService } from './support/service.ts'

const sets = 800
const rounds = 4

type Page = {
  readonly recordsets: readonly { readonly project_id: string }[]
  readonly links: { readonly next?: string }
  readonly metadata: { readonly total_count: number }
}

test('[X13] a service that is killed inside an accept leaves the zone with its old owner or with the new one', {
  timeout: 180_000,
}, async (t) => {
  const service = await startService()
  try {
    const call = caller(service)
    const zone = await call('POST', '/v2/zones', 'p0', { name: 'kill.example.', email: 'a@example.org' })
    await fill(call, zone)
    let owner = 'p0'
    let changed = 0
    for (let round = 1; round <= rounds; round += 1) {
      const next = `p${round}`
      const request = await call('POST', `/v2/zones/${zone.id}/tasks/transfer_requests`, owner, {})
      const accepting = call('POST', '/v2/zones/tasks/transfer_accepts', next, {
        key: request.key,
        zone_transfer_request_id: request.id,
      }).then(
        () => true,
        () => false,
      )
      await sleep((round - 1) * 25)
      await service.kill('SIGKILL')
      const wasTold = await accepting
      await service.restart()
      const status = (await call('GET', `/v2/zones/tasks/transfer_requests/${request.id}`, owner)).status
      const isNew = status === 'COMPLETE'
      ok(isNew || !wasTold, 'who was told that it is done has it')
      await mustBelongTo(call, zone.id!, isNew ? next : owner, isNew ? owner : next)
      if (isNew) changed += 1
      else await call('DELETE', `/v2/zones/tasks/transfer_requests/${request.id}`, owner)
      owner = isNew ? next : owner
    }
    t.diagnostic(`${rounds} kills, ${changed} accepts had been made`)
  } finally {
    await service.stop()
  }
})

type Call = (method: string, path: string, project: string, body?: object) => Promise<Record<string, string>>

const caller =
  ({ url }: Service): Call =>
  async (method, path, project, body) => {
    const headers = { 'Content-Type': 'application/json', 'X-Auth-Project-ID': project }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Record<string, string>)
  }

async function fill(call: Call, zone: Record<string, string>): Promise<void> {
  let made = 0
  const writer = async () => {
    while (made < sets) {
      made += 1
      const name = `n${made}.${zone.name}`
      await call('POST', `/v2/zones/${zone.id}/recordsets`, 'p0', { name, type: 'A', records: ['192.0.2.1'] })
    }
  }
  await Promise.all(Array.from({ length: 32 }, writer))
}

/** The zone, every record set and every count are one project's and nothing of it is the other's. */
async function mustBelongTo(call: Call, zoneId: string, owner: string, other: string): Promise<void> {
  equal((await call('GET', `/v2/zones/${zoneId}`, owner)).project_id, owner)
  const owners = new Set<string>()
  let found = 0
  for (let next: string | undefined = `/openstack/v2/zones/${zoneId}/recordsets?limit=1000`; next !== undefined; ) {
    const page = (await call('GET', next, owner)) as unknown as Page
    for (const { project_id } of page.recordsets) owners.add(project_id)
    found += page.recordsets.length
    next = page.links.next?.replace(/^http:\/\/[^/]+/, '')
  }
  deepEqual([[...owners], found], [[owner], sets + 2])
  const total = async (collection: string, project: string) =>
    ((await call('GET', `/openstack/v2/${collection}?limit=1`, project)) as unknown as Page).metadata.total_count
  deepEqual([await total('zones', owner), await total('recordsets', owner)], [1, sets + 2])
  deepEqual([await total('zones', other), await total('recordsets', other)], [0, 0])
}
