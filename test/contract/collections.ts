import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { sql } from '../../src/db/sql.ts'
import { type Api, type NewStore, type Problem, type Shown, startTestApi } from '../support/api.ts'

const unknownId = '00000000-0000-7000-8000-00000000dead'

/** The rules every collection keeps, shown on blacklists (whose patterns are any text) and TLDs. */
export function collectionRules(engine: string, newStore: NewStore): void {
  describe(`collections on ${engine}`, () => {
    let api: Api
    let now = Date.parse('2026-11-15T08:00:00Z')
    before(async () => {
      api = await startTestApi(newStore, { clock: () => new Date(now), maxLimit: 50 })
    })
    beforeEach(() =>
      api.db.write(async (tx) => {
        await tx.run(sql`delete from blacklists`)
        await tx.run(sql`delete from tlds`)
      }),
    )
    after(() => api.close())

    /** Adds patterns, each a second later than the one before. */
    async function add(...patterns: string[]): Promise<Shown[]> {
      const made = []
      for (const pattern of patterns) {
        now += 1000
        made.push((await api.post('/v2/blacklists', { pattern })).body)
      }
      return made
    }
    const patternsAt = async (query: string) =>
      (await api.list(`/v2/blacklists${query}`)).body.blacklists!.map((row) => row.pattern)
    const refused = async (query: string) => {
      const { status, body } = await api.get<Problem>(`/v2/blacklists${query}`)
      return [status, body.type]
    }
    /** Every page from the first on, by following links.next. */
    async function walk(path: string): Promise<Shown[][]> {
      const pages = []
      for (let next: string | undefined = path; next !== undefined && pages.length < 200; ) {
        const { body } = await api.list(next)
        pages.push([...body.blacklists!])
        next = body.links.next?.slice(api.url.length)
      }
      return pages
    }

    test('[H1] a collection is one list named after the resource, and links', async () => {
      await add('a')
      const { body } = await api.list('/v2/blacklists')
      deepEqual(Object.keys(body).toSorted(), ['blacklists', 'links'])
      equal(body.blacklists?.length, 1)
      deepEqual((await api.list('/v2/tlds')).body, { tlds: [], links: { self: `${api.url}/v2/tlds` } })
    })

    test('[H2] links.self is the URL of this page with the query as given', async () => {
      for (const [given, shown] of [
        ['', ''],
        ['?limit=5', '?limit=5'],
        ['?sort_dir=desc&limit=MAX&sort_key=id', '?sort_dir=desc&limit=MAX&sort_key=id'],
        ['?pattern=*a+b%20c*', '?pattern=%2Aa%20b%20c%2A'],
        ['?pattern=%C3%A9%26%3D%23', '?pattern=%C3%A9%26%3D%23'],
        ['?pattern', '?pattern='],
        ['?&limit=5&&', '?limit=5'],
      ]) {
        const { body } = await api.list(`/v2/blacklists${given}`)
        equal(body.links.self, `${api.url}/v2/blacklists${shown}`)
      }
    })

    test('[H3] links.next is there only when more rows exist, and following it visits every row once', async () => {
      const rows = await add('a', 'b', 'c', 'd', 'e', 'f')
      for (const [limit, sizes] of [
        [1, [1, 1, 1, 1, 1, 1]],
        [2, [2, 2, 2]],
        [4, [4, 2]],
        [6, [6]],
        [7, [6]],
      ] as const) {
        const pages = await walk(`/v2/blacklists?limit=${limit}`)
        deepEqual(
          pages.map((page) => page.length),
          sizes,
        )
        deepEqual(
          pages.flat().map((row) => row.id),
          rows.map((row) => row.id),
        )
      }
      const { body } = await api.list('/v2/blacklists?sort_dir=desc&limit=2&sort_key=id')
      const last = body.blacklists!.at(-1)!.id
      equal(body.links.next, `${api.url}/v2/blacklists?sort_dir=desc&limit=2&sort_key=id&marker=${last}`)
      const { body: second } = await api.list(body.links.next.slice(api.url.length))
      match(second.links.next!, /\?sort_dir=desc&limit=2&sort_key=id&marker=[0-9a-f-]{36}$/)
    })

    test('[H4] a page starts after the item that marker names, which may be in any UUID-like form', async () => {
      const [a] = await add('a', 'b', 'c')
      for (const marker of [a!.id, a!.id.toUpperCase(), a!.id.replaceAll('-', '')]) {
        deepEqual(await patternsAt(`?marker=${marker}`), ['b', 'c'])
      }
      deepEqual(await patternsAt(`?marker=${a!.id}&sort_dir=desc`), [])
      for (const marker of ['', 'x', '1', '*', `${a!.id}0`])
        deepEqual(await refused(`?marker=${marker}`), [400, 'invalid_marker'])
      deepEqual(await refused(`?marker=${unknownId}`), [400, 'marker_not_found'])
    })

    test('[H5] limit is a whole number from 1 or max, at most the maximum, 20 when absent', async () => {
      await api.db.write(async (tx) => {
        for (let i = 0; i < 60; i += 1)
          await tx.run(sql`insert into blacklists (id, pattern, created_at) values (${`i${i}`}, ${`p${i}`}, 'x')`)
      })
      const size = async (query: string) => (await patternsAt(query)).length
      equal(await size(''), 20)
      equal(await size('?limit=1'), 1)
      equal(await size('?limit=007'), 7)
      for (const most of ['max', 'MAX', '50', '51', '1000000', '9'.repeat(19)]) {
        equal(await size(`?limit=${most}`), 50)
        ok((await api.list(`/v2/blacklists?limit=${most}`)).body.links.next)
      }
      for (const wrong of ['0', '-1', '', 'a', '1.5', '1e3', '%201', '+1', '0x10', '１', '9'.repeat(20)]) {
        deepEqual(await refused(`?limit=${wrong}`), [400, 'invalid_limit'], wrong)
      }
    })

    test('[H6] rows are ordered by sort_key, created_at when absent, ties by id', async () => {
      await add('b', 'c', 'a')
      deepEqual(await patternsAt(''), ['b', 'c', 'a'])
      deepEqual(await patternsAt('?sort_key=pattern'), ['a', 'b', 'c'])
      deepEqual(await patternsAt('?sort_key=created_at'), ['b', 'c', 'a'])
      for (const wrong of ['', 'description', 'links', 'updated_key', 'ID', '__proto__', 'id;drop'])
        deepEqual(await refused(`?sort_key=${wrong}`), [400, 'invalid_sort_key'], wrong)

      const ids = ['3', '1', '2'].map((n) => `${n}0000000-0000-4000-8000-000000000000`)
      await api.db.write(async (tx) => {
        for (const id of ids)
          await tx.run(sql`insert into blacklists (id, pattern, created_at) values (${id}, ${id}, 'same')`)
      })
      const same = async (query: string) => (await patternsAt(query)).filter((pattern) => String(pattern).length === 36)
      deepEqual(await same('?sort_key=created_at'), ids.toSorted())
      deepEqual(await same('?sort_key=updated_at&sort_dir=desc'), ids.toSorted().reverse())
    })

    test('[H7] sort_dir is asc or desc, and pages keep it', async () => {
      const rows = await add('a', 'b', 'c')
      deepEqual(await patternsAt('?sort_dir=asc'), ['a', 'b', 'c'])
      deepEqual(await patternsAt('?sort_dir=desc'), ['c', 'b', 'a'])
      for (const sort_key of ['id', 'created_at', 'updated_at', 'pattern']) {
        const pages = await walk(`/v2/blacklists?limit=2&sort_dir=desc&sort_key=${sort_key}`)
        deepEqual(
          pages.flat().map((row) => row.id),
          rows.map((row) => row.id).toReversed(),
        )
      }
      for (const wrong of ['', 'ASC', 'up', 'desc;'])
        deepEqual(await refused(`?sort_dir=${wrong}`), [400, 'invalid_sort_dir'])
    })

    test('[H8] a filter without a star matches exactly', async () => {
      await add('abc', 'ABC', 'abcd', 'é', 'e\u0301', 'a b')
      deepEqual(await patternsAt('?pattern=abc'), ['abc'])
      deepEqual(await patternsAt('?pattern=ab'), [])
      deepEqual(await patternsAt('?pattern='), [])
      deepEqual(await patternsAt('?pattern=%C3%A9'), ['é'])
      deepEqual(await patternsAt('?pattern=a+b'), ['a b'])
      await api.post('/v2/tlds', { name: 'Org' })
      for (const name of ['org', 'ORG', 'o*', '*RG'])
        equal((await api.list(`/v2/tlds?name=${name}`)).body.tlds?.length, 1, name)
      equal((await api.list('/v2/tlds?name=K*')).body.tlds?.length, 0)
    })

    test('[H9] a star in a filter is any run of characters, anywhere', async () => {
      await add('abc', 'abcabc', 'xabcx', 'ac', 'b')
      deepEqual(await patternsAt('?pattern=*'), ['abc', 'abcabc', 'xabcx', 'ac', 'b'])
      deepEqual(await patternsAt('?pattern=abc*'), ['abc', 'abcabc'])
      deepEqual(await patternsAt('?pattern=*abc'), ['abc', 'abcabc'])
      deepEqual(await patternsAt('?pattern=*abc*'), ['abc', 'abcabc', 'xabcx'])
      deepEqual(await patternsAt('?pattern=a*c'), ['abc', 'abcabc', 'ac'])
      deepEqual(await patternsAt('?pattern=**b**b**'), ['abcabc'])
      deepEqual(await patternsAt('?pattern=%2Ab'), ['b'])
    })

    test('[H10] every other character in a filter is itself, and \\* is a star', async () => {
      const odd = [
        'a%c',
        'abc',
        'a_c',
        '!abc',
        '<abc',
        '>=a',
        'a\\\\c',
        'a.*c',
        'BETWEEN a,b',
        "a'c",
        '\u{10ffff}z',
        '\ud7ffq',
      ]
      await add(...odd)
      const exact = (text: string) => patternsAt(`?pattern=${encodeURIComponent(text)}`)
      for (const text of odd.filter((one) => !one.includes('*'))) deepEqual(await exact(text), [text])
      deepEqual(await exact('a%*'), ['a%c'])
      deepEqual(await exact('*_*'), ['a_c'])
      deepEqual(await exact('a\\\\*'), [])
      deepEqual(await exact('a.\\*c'), ['a.*c'])
      deepEqual(await exact('a.\\*\\*c'), [])
      deepEqual(await exact('*.\\*c'), ['a.*c'])
      deepEqual(await exact('\u{10ffff}*'), ['\u{10ffff}z'])
      deepEqual(await exact('\ud7ff*'), ['\ud7ffq'])
      for (const nul of ['\0', 'abc\0', 'abc\0*', '*\0*']) deepEqual(await exact(nul), [])
    })

    test('[H10] a filter with stars finds what a plain search of the text would', async () => {
      const texts = fc.string({
        unit: fc.constantFrom('a', 'b', '%', '_', '.', '\u{1f600}', 'A'),
        minLength: 1,
        maxLength: 6,
      })
      const stored = [...new Set(fc.sample(texts, { numRuns: 60, seed: 7 }))].slice(0, 45)
      await api.db.write(async (tx) => {
        for (const [i, text] of stored.entries())
          await tx.run(sql`insert into blacklists (id, pattern, created_at) values (${`i${i}`}, ${text}, 'x')`)
      })
      const filter = fc.array(fc.constantFrom('a', 'b', '%', '_', '.', '\u{1f600}', '*'), {
        minLength: 1,
        maxLength: 5,
      })
      await fc.assert(
        fc.asyncProperty(filter, async (parts) => {
          const expression = new RegExp(
            `^${parts.map((part) => (part === '*' ? '.*' : RegExp.escape(part))).join('')}$`,
            'su',
          )
          const expected = stored.filter((text) => expression.test(text))
          const found = await patternsAt(`?limit=max&pattern=${encodeURIComponent(parts.join(''))}`)
          deepEqual(found.toSorted(), expected.toSorted())
        }),
        { numRuns: 60, seed: 11 },
      )
    })

    test('[H11] filters combine with order and pages, and links repeat them', async () => {
      await add('xa', 'b', 'xc', 'xb', 'd')
      const { body } = await api.list('/v2/blacklists?pattern=x*&sort_key=pattern&sort_dir=desc&limit=2')
      deepEqual(
        body.blacklists?.map((row) => row.pattern),
        ['xc', 'xb'],
      )
      match(body.links.next!, /\?pattern=x%2A&sort_key=pattern&sort_dir=desc&limit=2&marker=/)
      deepEqual(await patternsAt(new URL(body.links.next!).search), ['xa'])
    })

    test('[H12] a parameter nobody knows is refused by name', async () => {
      for (const name of ['bogus', 'description', 'id', 'links', '__proto__', 'constructor', 'Limit', '']) {
        const { status, body } = await api.get<Problem>(`/v2/blacklists?${name}=1`)
        deepEqual([status, body.type], [400, 'bad_request'], name)
        ok(body.message.includes(`Invalid filters ${name}`))
      }
      const { message } = (await api.get<Problem>('/v2/zones?bogus=1')).body
      const told = message.slice(message.indexOf(' by ') + 4).split(', ')
      ok(told.includes('name'))
      deepEqual(told, [...new Set(told)])
      const [row] = await add('a')
      for (const method of ['GET', 'DELETE'])
        equal((await api.call<Problem>(method, `/v2/blacklists/${row!.id}?limit=1`)).body.type, 'bad_request')
      equal((await api.post<Problem>('/v2/blacklists?x=1', { pattern: 'b' })).body.type, 'bad_request')
      deepEqual(await patternsAt(''), ['a'])
    })

    test('[H13] a parameter that stands twice is refused', async () => {
      for (const query of [
        'limit=1&limit=1',
        'pattern=a&pattern=b',
        'pattern=a&%70attern=a',
        'all_projects=1&all_projects=1',
      ])
        deepEqual(await refused(`?${query}`), [400, 'bad_request'])
    })

    test('[H14] pages are stable while rows come and go', async () => {
      const change = fc.record({
        add: fc.array(fc.nat(40), { maxLength: 3 }),
        remove: fc.array(fc.nat(40), { maxLength: 3 }),
      })
      const order = fc.record({
        sort_key: fc.constantFrom('id', 'created_at', 'updated_at', 'pattern'),
        sort_dir: fc.constantFrom('asc', 'desc'),
        limit: fc.integer({ min: 1, max: 5 }),
      })
      await fc.assert(
        fc.asyncProperty(order, fc.array(change, { maxLength: 12 }), async ({ sort_key, sort_dir, limit }, changes) => {
          await api.db.write((tx) => tx.run(sql`delete from blacklists`))
          const there = new Set<number>()
          const throughout = new Set(Array.from({ length: 12 }, (_, i) => 3 * i))
          const insert = (n: number) =>
            api.db.write((tx) =>
              tx.run(sql`insert into blacklists (id, pattern, created_at, updated_at)
                values (${idOf(n)}, ${`p${n % 7}-${n}`}, ${`c${n % 5}`}, ${n % 2 ? null : `u${n % 3}`})`),
            )
          for (const n of throughout) await insert(n)
          for (const n of throughout) there.add(n)
          const seen: string[] = []
          let next: string | undefined = `/v2/blacklists?limit=${limit}&sort_key=${sort_key}&sort_dir=${sort_dir}`
          for (const step of [...changes, ...Array.from({ length: 60 }, () => ({ add: [], remove: [] }))]) {
            if (next === undefined) break
            const { body } = await api.list(next)
            for (const row of body.blacklists!) seen.push(row.id)
            next = body.links.next?.slice(api.url.length)
            const marker = next && new URL(next, api.url).searchParams.get('marker')
            for (const n of step.remove) {
              if (!there.has(n) || throughout.has(n) || idOf(n) === marker) continue
              there.delete(n)
              await api.db.write((tx) => tx.run(sql`delete from blacklists where id = ${idOf(n)}`))
            }
            for (const n of step.add) {
              if (there.has(n)) continue
              there.add(n)
              await insert(n)
            }
          }
          equal(next, undefined)
          for (const n of throughout) equal(seen.filter((id) => id === idOf(n)).length, 1)
        }),
        { numRuns: 25, seed: 3 },
      )
    })

    test('[H14] a marker whose row is gone is told as marker_not_found', async () => {
      const [a] = await add('a', 'b')
      await api.delete(`/v2/blacklists/${a!.id}`)
      deepEqual(await refused(`?marker=${a!.id}`), [400, 'marker_not_found'])
    })

    test('[H15] a slash at the end and a lone question mark change nothing', async () => {
      const [row] = await add('a')
      for (const path of ['/v2/blacklists/', '/v2/blacklists?', '/v2/blacklists/?'])
        equal((await api.list(path)).body.links.self, `${api.url}/v2/blacklists`, path)
      for (const path of [`/v2/blacklists/${row!.id}/`, `/v2/blacklists/${row!.id}?`])
        equal((await api.get(path)).body.id, row!.id)
    })

    test('[H16] a bad percent-escape is refused', async () => {
      for (const path of ['?pattern=%', '?pattern=%zz', '?%ff=1', '?pattern=%c3', '/%zz', '/%ff', '%zz'])
        deepEqual(await refused(path), [400, 'bad_request'], path)
    })
  })
}

const idOf = (n: number): string =>
  `${String((n * 7919) % 100_000).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`
