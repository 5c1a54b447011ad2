import { deepEqual, equal } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { askingProject, sharedAddress } from '../../bench/zones/made-up.ts'
import { fillStore } from '../../bench/zones/seed.ts'
import { type Api, type NewStore, type Shown, startTestApi } from '../support/api.ts'

// Enough that every way of reading a page is taken: few found, many found, many found but far from the page.
const zones = 2900

const key = (row: Shown, name: string): string | number => {
  const value = row[name] as string | number | null
  if (name === 'ttl') return value ?? -1
  return name === 'name' ? String(value).toLowerCase() : (value ?? '')
}

/** What a filtered page has is what is left of the whole list, in its order, whichever way it was read. */
export function listWays(engine: string, newStore: NewStore): void {
  describe(`filtered lists of many rows on ${engine}`, () => {
    let api: Api
    const everything = new Map<string, readonly Shown[]>()
    const mine = { 'X-Auth-Project-ID': askingProject }
    before(async () => {
      api = await startTestApi(newStore)
      await fillStore(api.db, zones)
      for (const collection of ['zones', 'recordsets'])
        everything.set(collection, await all(`/openstack/v2/${collection}`))
    })
    after(() => api.close())

    async function all(path: string): Promise<Shown[]> {
      const rows: Shown[] = []
      const collection = path.includes('recordsets') ? 'recordsets' : 'zones'
      let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=1000`
      while (next !== undefined) {
        const { body } = await api.list(next, mine)
        rows.push(...body[collection]!)
        next = body.links.next?.replace(api.url, '')
      }
      return rows
    }

    const matches = (row: Shown, filter: string): boolean => {
      const [name, value] = filter.split('=') as [string, string]
      const pattern = new RegExp(`^${value.replaceAll(/[.?+^$[\]\\(){}|-]/g, '\\$&').replaceAll('*', '.*')}$`)
      if (name === 'data') return (row.records as string[]).some((record) => pattern.test(record))
      return pattern.test(String(name === 'name' ? String(row.name).toLowerCase() : row[name]))
    }

    for (const [collection, filters, orders] of [
      [
        'zones',
        [
          'name=blue-*',
          'name=b*',
          'name=zzz*',
          'name=*harbour*',
          'status=ACTIVE',
          'ttl=300',
          'status=PENDING&ttl=3600',
        ],
        ['created_at', 'name', 'ttl', 'status', 'serial', 'project_id'],
      ],
      [
        'recordsets',
        [
          'name=www.*',
          'name=www.b*',
          'type=MX',
          'type=TXT&name=_dmarc.*',
          `data=${sharedAddress}`,
          'data=10.*',
          'type=A&data=198.51.*',
        ],
        ['created_at', 'name', 'type', 'ttl', 'zone_id', 'project_id'],
      ],
    ] as const) {
      test(`${collection}: a filter gives what the whole list has that matches, in every order, page by page`, async () => {
        const whole = everything.get(collection)!
        equal(whole.length > 2000, true)
        for (const filter of filters) {
          const expected = whole.filter((row) => filter.split('&').every((one) => matches(row, one)))
          for (const order of orders) {
            const sorted = expected.toSorted((a, b) => {
              const [x, y] = [key(a, order), key(b, order)]
              return x < y || (x === y && a.id < b.id) ? -1 : 1
            })
            for (const way of ['asc', 'desc']) {
              const wanted = way === 'asc' ? sorted : sorted.toReversed()
              const path = `/openstack/v2/${collection}?${filter}&sort_key=${order}&sort_dir=${way}`
              const { body } = await api.list(`${path}&limit=7`, mine)
              const told = `${filter} by ${order} ${way}`
              deepEqual(
                body[collection]!.map(({ id }) => id),
                wanted.slice(0, 7).map(({ id }) => id),
                told,
              )
              deepEqual(body.metadata, { total_count: wanted.length }, told)
              const at = Math.floor(wanted.length / 2)
              if (at === 0) continue
              const deep = await api.list(`${path}&limit=7&marker=${wanted[at - 1]!.id}`, mine)
              deepEqual(
                deep.body[collection]!.map(({ id }) => id),
                wanted.slice(at, at + 7).map(({ id }) => id),
                `${told}, deep`,
              )
            }
          }
        }
      })
    }
  })
}
