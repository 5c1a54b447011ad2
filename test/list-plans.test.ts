import { deepEqual, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database, Statement, Tx } from '../src/db/sql.ts'
import { routes } from '../src/resources/index.ts'
import { defaultPoolId } from '../src/resources/pools/fields.ts'
import { type Api, type NewStore, type Page, sqliteStore, startTestApi } from './support/api.ts'
import { testSettings } from './support/settings.ts'

/** How SQLite would run every statement that reads were made of since this was last emptied. */
const plans: string[] = []

/** SQLite, with every statement of a read explained before it runs. */
const explainedStore: NewStore = async () => {
  const { db, remove } = await sqliteStore()
  const explained = (tx: Tx): Tx => {
    const explain = async (statement: Statement) => {
      const text = `explain query plan ${statement.sql}`
      const steps = await tx.all<{ detail: string }>({ sql: text, text, values: statement.values })
      plans.push(`${steps.map(({ detail }) => detail).join(' / ')}   -- ${statement.sql.replaceAll(/\s+/g, ' ')}`)
    }
    return {
      get: <T>(statement: Statement) => explain(statement).then(() => tx.get<T>(statement)),
      all: <T>(statement: Statement) => explain(statement).then(() => tx.all<T>(statement)),
      values: (statement) => explain(statement).then(() => tx.values(statement)),
      run: (statement) => tx.run(statement),
      wake: (topic) => tx.wake(topic),
      forUpdate: tx.forUpdate,
      engine: tx.engine,
      trigrams: tx.trigrams,
    }
  }
  const watched: Database = {
    ...db,
    read: (work) => db.read((tx) => work(explained(tx))),
    scan: (work) => db.scan((tx) => work(explained(tx))),
  }
  return { db: watched, remove }
}

let api: Api
let zoneId: string
before(async () => {
  api = await startTestApi(explainedStore)
  zoneId = (await api.post('/v2/zones', { name: 'plans.example.org.', email: 'a@example.org' })).body.id
  await api.post('/v2/tlds', { name: 'org' })
  await api.post('/v2/blacklists', { pattern: 'x' })
  const key = { name: 'k', algorithm: 'hmac-sha256', secret: 'c2VjcmV0', scope: 'POOL', resource_id: defaultPoolId }
  await api.post('/v2/tsigkeys', key)
  await api.post(`/v2/zones/${zoneId}/tasks/transfer_requests`, {})
  await api.post(`/v2/zones/${zoneId}/shares`, { target_project_id: 'sharee' })
  await api.post('/v2/reverse/addresses', { address: '192.0.2.1', project_id: 'noauth-project' })
  for (const [collection, body] of [
    ['targets', {}],
    ['nameservers', { host: '192.0.2.1' }],
    ['also_notifies', { host: '192.0.2.1' }],
    ['checks', {}],
  ] as const)
    await api.post(`/v2/pools/${defaultPoolId}/${collection}`, body)
})
after(() => api.close())

/** A sort of all rows (ties of an index are a few), or a walk over a table itself instead of an index. */
const isSlow = (plan: string): boolean =>
  plan
    .split('   -- ')[0]!
    .split(' / ')
    .some((step) => /TEMP B-TREE FOR ORDER BY/.test(step) || (/^SCAN/.test(step) && !/USING.*INDEX/.test(step)))

/** Sort keys whose index does not begin with the scope: here it holds few rows, which are sorted; many would be walked. */
const unindexed: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['targets', 'nameservers', 'also_notifies', 'checks'].flatMap((collection) =>
      ['of a project', 'of all projects'].map((scope) => [
        `/v2/pools/{pool_id}/${collection} ${scope}`,
        ['updated_at'],
      ]),
    ),
  ),
  '/v2/zones/{zone_id}/recordsets of a project': ['project_id'],
  '/v2/zones/{zone_id}/recordsets of all projects': ['project_id'],
  '/v2/recordsets of a project': ['zone_id'],
}

/** Lists that are short whatever the service holds. */
const short = ['/v2/service_statuses', '/v2/service_status', '/admin/reports/tenants']

const lists = routes(testSettings).filter(({ returns, path }) => returns === 'list' && !short.includes(path))

for (const { path, resource } of lists) {
  const sortable = Object.keys(resource.fields).filter((field) => resource.fields[field]!.sort)

  for (const [scope, headers] of [
    ['of a project', {}],
    ['of all projects', { 'X-Auth-All-Projects': 'true' }],
  ] as const) {
    test(`a page of ${path} ${scope} is read through an index in every order, with and without a marker`, async () => {
      const here = path.replace('{zone_id}', zoneId).replace('{pool_id}', defaultPoolId)
      const first = (await api.get<Page>(here, headers)).body[resource.plural]?.[0]
      const slow = new Set<string>()
      for (const sort_key of sortable) {
        for (const sort_dir of ['asc', 'desc']) {
          for (const marker of first ? ['', `&marker=${first.id}`] : ['']) {
            plans.length = 0
            await api.list(`${here}?sort_key=${sort_key}&sort_dir=${sort_dir}${marker}`, headers)
            ok(plans.length > 0)
            if (plans.some(isSlow)) slow.add(sort_key)
          }
        }
      }
      deepEqual([...slow], unindexed[`${path} ${scope}`] ?? [])
    })
  }
}

test('[X29] zones with shared ones among them are read through indexes by id and name; in other orders the shared ones are sorted', async () => {
  const headers = { 'X-Auth-Project-ID': 'sharee' }
  const slow = new Set<string>()
  for (const order of ['created_at', 'id', 'name', 'updated_at', 'serial', 'ttl', 'status', 'project_id']) {
    for (const more of ['', '&sort_dir=desc', `&marker=${zoneId}`, '&status=ACTIVE', '&name=plans.example.org.']) {
      plans.length = 0
      const { body } = await api.list(`/v2/zones?sort_key=${order}${more}`, headers)
      ok(plans.some((plan) => plan.includes('zone_shares')))
      deepEqual(body.zones!.length, /marker|ACTIVE/.test(more) ? 0 : 1)
      if (!/status|name/.test(more) && plans.some(isSlow)) slow.add(order)
      // A walk over all zones there are would ask of each whether it is shared.
      for (const plan of plans) ok(!/SEARCH z USING INDEX zones_all_\w+ \(\w+=\?\)/.test(plan), plan)
    }
  }
  deepEqual([...slow], ['updated_at', 'serial', 'ttl', 'status', 'project_id'])
})

test('a filter on the beginning of a name is a search in an index', async () => {
  for (const [collection, field] of [
    ['pools', 'name'],
    ['tlds', 'name'],
    ['blacklists', 'pattern'],
  ]) {
    for (const value of ['abc', 'abc*', 'a*c']) {
      plans.length = 0
      await api.list(`/v2/${collection}?${field}=${value}&sort_key=${field}`)
      ok(
        plans.some((plan) => /^SEARCH \w+ USING INDEX/.test(plan)),
        plans.join('\n'),
      )
      deepEqual(plans.filter(isSlow), [])
    }
  }
})
