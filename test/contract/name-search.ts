import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { folded, parsePattern } from '../../src/api/filter.ts'
import { bulkInsert } from '../../src/db/bulk-rows.ts'
import { type Database, sql } from '../../src/db/sql.ts'
import { newId } from '../../src/ids.ts'
import { defaultPoolId } from '../../src/resources/pools/fields.ts'
import { markDeleted, markGone, purgeSome } from '../../src/resources/zones/store.ts'
import { type Api, type NewStore, type Page, type Shown, startTestApi } from '../support/api.ts'
import { withoutTrigrams } from '../support/plain-search.ts'
import { addNames } from '../support/zone-names.ts'

const columns =
  'id name tree_key type project_id pool_id email ttl attributes masters primary_ns contact refresh retry expire minimum ns_revision serial created_serial published_serial version recordset_count record_count created_at changed_at'
const insertZones = bulkInsert('zones', columns.split(' '))

/** Stores zones of any name, as no client could. */
export async function storeZones(db: Database, names: readonly string[], project = 'noauth-project'): Promise<void> {
  const at = '2026-01-01T00:00:00.000000'
  const rows = names.map((name, i) => [
    ...[newId(), name, `${name}/${i}`, 'PRIMARY', project, defaultPoolId, 'a@example.org', i % 3, '{}', '[]'],
    ...['ns.', 'a.', 1, 1, 1, 1, 1, i % 5, 1, i % 4, 1, 0, 0, at, at],
  ])
  await db.write(async (tx) => {
    await insertZones(tx, rows)
    await addNames(tx)
  })
}

/** The index has the names of all zones that lists show, and no others. */
async function mustBeWhole(db: Database): Promise<void> {
  const [listed, indexed] = await db.read(async (tx) => [
    await tx.all(sql`select id, name_key from zones where gone_at is null order by id`),
    await tx.all(sql`select zone_id as id, name_key from zone_names order by zone_id`),
  ])
  ok(listed!.length > 2000)
  deepEqual(indexed, listed)
}

const migrations = new URL('../../src/db/migrations/', import.meta.url)
const migrationsFor = async (engine: Database['engine']): Promise<URL[]> =>
  (await readdir(migrations))
    .filter((file) => file.endsWith(`_zone_names.${engine}.sql`) || file.endsWith(`_names_of_new_zones.${engine}.sql`))
    .toSorted()
    .map((file) => new URL(file, migrations))

const removal = {
  sqlite: `drop trigger zones_renamed; drop trigger zones_unnamed;
    drop table zone_names_trigrams; drop table zone_names`,
  postgres: 'drop trigger zones_named on zones; drop function keep_zone_name; drop table zone_names',
} as const

/** As a filter is defined: every `*` any run of characters, everything else itself. */
function isMatch(name: string, pattern: string): boolean {
  const parsed = parsePattern(folded(pattern))
  if ('exact' in parsed) return folded(name) === parsed.exact
  const pieces = parsed.pieces.map((piece) => piece.replaceAll(/[^\w]/gu, '\\$&'))
  return new RegExp(`^${pieces.join('.*')}$`, 's').test(folded(name))
}

// What engines and the two indexes take for something else: words end at `-`, `_` and `.`; `%`, `_`, `"`, `'` and `\` mean something.
const characters = [...'abAB01', '-', '_', '.', '%', '"', "'", '\\', '*', ' ']
const text = (maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength }).map((all) => all.join(''))
const escaped = (literal: string) => literal.replaceAll('*', '\\*')
const orders = ['created_at', 'name', 'ttl', 'serial', 'status', 'updated_at', 'project_id']

/** Lists of zones by pieces of their names, on any engine. */
export function nameSearch(engine: string, newStore: NewStore): void {
  describe(`zones by pieces of their names on ${engine}`, () => {
    let api: Api
    let plain: Api
    let zones: readonly Shown[]
    before(async () => {
      api = await startTestApi(newStore)
      plain = await startTestApi(async () => ({ db: withoutTrigrams(api.db), remove: async () => {} }))
      const random = fc.sample(text(14), { numRuns: 2600, seed: 7 })
      const names = random.map((label, i) => (i < 2300 ? `${label}.${i}.Common.example.` : `${label}.${i}.rare é😀 x.`))
      await storeZones(api.db, names)
      await storeZones(api.db, ['of-others.Common.example.'], 'others')
      zones = await all(api, '/v2/zones?limit=1000')
    })
    after(async () => {
      await plain.close()
      await api.close()
    })

    async function all(from: Api, path: string): Promise<Shown[]> {
      const rows: Shown[] = []
      for (let next: string | undefined = path; next !== undefined; ) {
        const { status, body }: { status: number; body: Page } = await from.list(next)
        equal(status, 200)
        rows.push(...body.zones!)
        next = body.links.next?.replace(from.url, '')
      }
      return rows
    }

    test('[H17] a pattern finds by the index what looking at every zone finds, in every order, page by page', async () => {
      const part = fc.record({ skip: fc.nat(6), keep: fc.integer({ min: 1, max: 9 }) })
      // Pieces of one name, as they stand in it.
      const taken = fc.tuple(fc.nat(), fc.array(part, { minLength: 1, maxLength: 3 })).map(([n, parts]) => {
        const left = [...String(zones[n % zones.length]!.name)]
        return parts.map(({ skip, keep }) =>
          left
            .splice(0, skip + keep)
            .slice(skip)
            .join(''),
        )
      })
      const known = ['common', 'COMMON.example', 'mon.', 'rare', ' é😀', '%', '___', 'no such']
      const invented = fc.array(fc.oneof(text(4), fc.constantFrom(...known)), { minLength: 1, maxLength: 2 })
      const pattern = fc
        .tuple(
          fc.constantFrom('*', '*', ''),
          fc.oneof({ weight: 2, arbitrary: taken }, invented),
          fc.constantFrom('*', '*', ''),
        )
        .map(([first, pieces, last]) => first + pieces.map(escaped).join('*') + last)
      const page = fc.record({
        limit: fc.integer({ min: 1, max: 40 }),
        order: fc.constantFrom(...orders),
        way: fc.constantFrom('asc', 'desc'),
      })
      let found = 0
      await fc.assert(
        fc.asyncProperty(pattern, page, async (given, { limit, order, way }) => {
          const filter = `name=${encodeURIComponent(given)}&sort_key=${order}&sort_dir=${way}`
          const path = `/openstack/v2/zones?${filter}&limit=${limit}`
          const [one, other] = [await api.list(path), await plain.list(path)]
          equal(one.status, 200)
          equal(one.text.replaceAll(api.url, ''), other.text.replaceAll(plain.url, ''))
          const last = one.body.zones!.at(-1)
          if (last !== undefined) {
            const [next, otherNext] = [
              await api.list(`${path}&marker=${last.id}`),
              await plain.list(`${path}&marker=${last.id}`),
            ]
            equal(next.text.replaceAll(api.url, ''), otherNext.text.replaceAll(plain.url, ''))
          }
          // Letters beyond ASCII are looked for as A-labels.
          if (/[^ -~]/.test(given)) return
          const wanted = zones.filter((zone) => isMatch(String(zone.name), given))
          deepEqual(one.body.metadata, { total_count: wanted.length })
          if (wanted.length > 0) found += 1
          if (wanted.length > 100) return
          const whole = await all(api, `/v2/zones?${filter}&limit=${limit}`)
          deepEqual(whole.map(({ id }) => id).toSorted(), wanted.map(({ id }) => id).toSorted())
        }),
        { numRuns: 150, seed: 11 },
      )
      ok(found > 50, `only ${found} patterns found anything`)
    })

    test('[H17] whatever becomes of a zone, the index has the names of those that lists show', async () => {
      const { db } = api
      const body = { name: 'Followed-Zone.example.org.', email: 'a@example.org' }
      const { id } = (await api.post('/v2/zones', body)).body
      const found = async (piece: string) => (await all(api, `/v2/zones?name=*${piece}*`)).map((zone) => zone.id)
      deepEqual(await found('lowed-zon'), [id])
      await mustBeWhole(db)
      await rejects(
        db.write(async (tx) => {
          await tx.run(sql`update zones set name = 'undone-zone.example.org.' where id = ${id}`)
          throw new Error('not so')
        }),
        /not so/,
      )
      deepEqual([await found('undone-zone'), await found('followed-zone')], [[], [id]])
      await db.write((tx) => tx.run(sql`update zones set name = 'Renamed-Zone.example.org.' where id = ${id}`))
      deepEqual([await found('renamed-zone'), await found('followed-zone')], [[id], []])
      await mustBeWhole(db)
      await db.write(async (tx) => {
        await markDeleted(tx, id, '2026-01-01', '2026-01-02')
        await markGone(tx, [id], '2026-01-01')
      })
      deepEqual(await found('renamed-zone'), [])
      await mustBeWhole(db)
      await db.write((tx) => tx.run(sql`update zones set gone_at = null where id = ${id}`))
      deepEqual(await found('renamed-zone'), [id])
      await mustBeWhole(db)
      await db.write((tx) => purgeSome(tx, id, 1000))
      deepEqual(await found('renamed-zone'), [])
      await mustBeWhole(db)
    })

    test('the zones of a store from before there was the index are in it once it is migrated', async () => {
      const { db } = api
      await db.alone(async (tx) => {
        await tx.script(removal[db.engine])
        for (const file of await migrationsFor(db.engine)) await tx.script(await readFile(file, 'utf8'))
      })
      const path = '/v2/zones?name=*common*&sort_key=name&limit=100'
      const found = await all(api, path)
      equal(found.length, 2300)
      const ids = (rows: readonly Shown[]) => rows.map(({ id }) => id)
      deepEqual(ids(found), ids(await all(plain, path)))
      await mustBeWhole(db)
    })

    test('a pattern that very many match, none of them near, is looked for to the end', async () => {
      const project = 'large'
      const names = Array.from({ length: 22_500 }, (_, i) =>
        i < 10_500 ? `${i}.plain.example.net.` : `${i}.${i < 21_500 ? 'other' : 'medium'}.crowded.example.net.`,
      )
      await storeZones(api.db, names, project)
      const headers = { 'X-Auth-Project-ID': project }
      for (const [pattern, first, total] of [
        ['*crowded*', 10_500, 12_000],
        ['*other*', 10_500, 11_000],
        ['*.medium.crowded*', 21_500, 1000],
        ['*2150*.crowded*', 12_150, 12],
        ['*plain*', 0, 10_500],
      ] as const) {
        const { body } = await api.list(`/openstack/v2/zones?name=${pattern}&limit=3`, headers)
        const wanted = names.flatMap((name, i) => (isMatch(name, pattern) ? [i] : []))
        deepEqual([wanted[0], wanted.length], [first, total])
        deepEqual(
          body.zones!.map((zone) => zone.name),
          wanted.slice(0, 3).map((i) => names[i]),
        )
        deepEqual(body.metadata, { total_count: total })
      }
    })
  })
}
