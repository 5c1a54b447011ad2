import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { compilePattern } from '../../src/resources/blacklists/pattern.ts'
import { type Answer, type Api, type NewStore, type Problem, startTestApi } from '../support/api.ts'

/** The rules of TLDs and blacklists. */
export function tldAndBlacklistRules(engine: string, newStore: NewStore): void {
  describe(`TLDs and blacklists on ${engine}`, () => {
    let api: Api
    before(async () => {
      api = await startTestApi(newStore)
    })
    beforeEach(() =>
      api.db.write(async (tx) => {
        await tx.run(sql`delete from tlds`)
        await tx.run(sql`delete from blacklists`)
      }),
    )
    after(() => api.close())

    const told = ({ status, body }: Answer<Problem>) => [status, body.type]
    const addTld = (name: unknown) => api.post<Problem>('/v2/tlds', { name })
    const addPattern = (pattern: unknown) => api.post<Problem>('/v2/blacklists', { pattern })

    test('[TL1] a name is labels without a final dot', async () => {
      const long = `${'a'.repeat(63)}.`.repeat(4).slice(0, 253)
      for (const name of ['org', 'co.uk', 'xn--p1ai', 'a', '_x', 'ORG2', '1', long])
        equal((await addTld(name)).status, 201, name)
      for (const name of [
        undefined,
        null,
        '',
        5,
        'org.',
        '.',
        '.org',
        'a..b',
        '-x',
        'x-',
        'a b',
        'é',
        '*',
        'x'.repeat(64),
        `${long}a`,
        'a\n',
      ])
        deepEqual(told(await addTld(name)), [400, 'invalid_object'], String(name))
    })

    test('[TL1] letters beyond ASCII are refused with their A-label, where they have one', async () => {
      const why = async (name: string) => (await addTld(name)).body.message
      equal(await why('рф'), "name: must be in ASCII, other letters as A-labels such as 'xn--p1ai'; 'рф' is not")
      equal(await why('co.ü'), "name: must be in ASCII, other letters as A-labels such as 'xn--tda'; 'ü' is not")
      equal(await why('\u2028'), "name: must be in ASCII, other letters as A-labels; '\u2028' is not")
      equal((await addTld('xn--p1ai')).status, 201)
    })

    test('[TL2] a name is listed once, whatever its case, and shown as given', async () => {
      const { body } = await api.post('/v2/tlds', { name: 'Org' })
      equal(body.name, 'Org')
      for (const name of ['Org', 'org', 'ORG']) deepEqual(told(await addTld(name)), [409, 'duplicate_tld'])
      const { body: com } = await api.post('/v2/tlds', { name: 'com' })
      deepEqual(told(await api.patch(`/v2/tlds/${com.id}`, { name: 'oRG' })), [409, 'duplicate_tld'])
      equal((await api.patch(`/v2/tlds/${body.id}`, { name: 'oRG' })).body.name, 'oRG')
    })

    test('[TL3] a TLD is created, shown, changed and deleted', async () => {
      const { body: made } = await api.post('/v2/tlds', { name: 'org', description: 'the org' })
      const { id, created_at, links, ...rest } = made
      deepEqual(rest, { name: 'org', description: 'the org', updated_at: null })
      ok(created_at && links)
      deepEqual((await api.get(`/v2/tlds/${id}`)).body, made)
      const changed = await api.patch(`/v2/tlds/${id}`, { ...made, description: null })
      deepEqual(
        [changed.status, changed.body],
        [200, { ...made, description: null, updated_at: changed.body.updated_at }],
      )
      deepEqual(told(await api.patch(`/v2/tlds/${id}`, { description: 'x'.repeat(161) })), [400, 'invalid_object'])
      deepEqual(told(await api.patch(`/v2/tlds/${id}`, { name: null })), [400, 'invalid_object'])
      equal((await api.delete(`/v2/tlds/${id}`)).status, 204)
      deepEqual(told(await api.delete(`/v2/tlds/${id}`)), [404, 'tld_not_found'])
    })

    test('[TL4] the list is filtered and sorted by name, whatever its case', async () => {
      for (const name of ['b', 'A', 'C', 'co.uk']) await addTld(name)
      const names = async (query: string) => (await api.list(`/v2/tlds${query}`)).body.tlds!.map((row) => row.name)
      deepEqual(await names('?sort_key=name'), ['A', 'b', 'C', 'co.uk'])
      deepEqual(await names('?sort_key=name&sort_dir=desc&limit=2'), ['co.uk', 'C'])
      deepEqual(await names('?name=c*&sort_key=name'), ['C', 'co.uk'])
      for (const key of ['id', 'created_at', 'updated_at']) equal((await names(`?sort_key=${key}`)).length, 4)
      deepEqual(told(await api.get('/v2/tlds?sort_key=description')), [400, 'invalid_sort_key'])
    })

    test('[B1] a pattern is a regular expression in RE2 syntax', async () => {
      for (const pattern of [
        '^example\\.org\\.$',
        '(?i)bank',
        '([A-Za-z0-9_\\-]+\\.)*x\\.$',
        '.',
        'a|b',
        '[[:alpha:]]{2,63}',
        '\\d+',
      ])
        equal((await addPattern(pattern)).status, 201, pattern)
      for (const pattern of [
        undefined,
        null,
        '',
        5,
        '([',
        '*',
        'a{2,1}',
        '\\',
        '(?P<x',
        '(a)\\1',
        '(?=a)',
        '(?<!a)b',
        'x'.repeat(256),
        'a\0',
      ])
        deepEqual(told(await addPattern(pattern)), [400, 'invalid_object'], String(pattern))
      const { body } = await addPattern('(a)\\1')
      match(body.message, /RE2 syntax: no back-references, no look-around.*invalid escape sequence/)
    })

    test('[B2] no pattern can hold the service up', async () => {
      const name = `${'a'.repeat(60)}.`.repeat(4)
      for (const pattern of [
        '(a{1000}){1000}',
        '((a{100}){100}){100}',
        'a{1000}'.repeat(36),
        '(.?){1000}'.repeat(25),
        '(a?){1000}'.repeat(20),
        '\\pL{1000}'.repeat(28),
        '(a*)*b',
        '(a+)+$',
        '(x+x+)+y',
        '(a|a)*c',
        '(.*)*(.*)*(.*)*z',
        'a|'.repeat(127),
        '(a|b|c|d|e|f|g)'.repeat(17),
        '('.repeat(127) + ')'.repeat(127),
        '.*'.repeat(120),
        '[^a]|'.repeat(50),
        '(?:a?){30}a{30}',
        '(?:(?:a|b|c){500}|d){2}'.repeat(10),
      ]) {
        const start = performance.now()
        const { status } = await addPattern(pattern)
        const compiled = performance.now() - start
        ok(status === 201 || status === 400, pattern)
        ok(compiled < 1500, `${pattern} took ${compiled} ms to judge`)
        if (status !== 201) continue
        const found = compilePattern(pattern)
        const began = performance.now()
        for (let i = 0; i < 3; i += 1) found(name)
        const each = (performance.now() - began) / 3
        ok(each < 250, `${pattern} took ${each} ms a name`)
      }
      for (const refused of ['(a{1000}){1000}', '(.?){1000}'.repeat(25)])
        deepEqual(told(await addPattern(refused)), [400, 'invalid_object'])
    })

    test('[B3] a pattern is listed once', async () => {
      const { body } = await api.post('/v2/blacklists', { pattern: 'x' })
      deepEqual(told(await addPattern('x')), [409, 'duplicate_blacklist'])
      const { body: other } = await api.post('/v2/blacklists', { pattern: 'X' })
      deepEqual(told(await api.patch(`/v2/blacklists/${other.id}`, { pattern: 'x' })), [409, 'duplicate_blacklist'])
      equal((await api.patch(`/v2/blacklists/${body.id}`, { pattern: 'x' })).status, 200)
    })

    test('[B4] a description is any text', async () => {
      for (const description of ['([', '', null, '\u{1f600}'.repeat(160)])
        equal(
          (await api.post('/v2/blacklists', { pattern: `p${description?.length}`, description })).body.description,
          description,
        )
      for (const description of ['x'.repeat(161), 5, []])
        deepEqual(told(await api.post('/v2/blacklists', { pattern: 'q', description })), [400, 'invalid_object'])
    })

    test('[B5] a blacklist is created, shown, changed and deleted', async () => {
      const { body: made } = await api.post('/v2/blacklists', { pattern: 'bank' })
      const { id, created_at, links, ...rest } = made
      deepEqual(rest, { pattern: 'bank', description: null, updated_at: null })
      ok(created_at && links)
      deepEqual((await api.get(`/v2/blacklists/${id}`)).body, made)
      const changed = await api.patch(`/v2/blacklists/${id}`, { ...made, description: 'no banks', pattern: 'b.nk' })
      deepEqual([changed.status, changed.body.description, changed.body.pattern], [200, 'no banks', 'b.nk'])
      deepEqual(told(await api.patch(`/v2/blacklists/${id}`, { pattern: '([' })), [400, 'invalid_object'])
      equal((await api.get(`/v2/blacklists/${id}`)).body.pattern, 'b.nk')
      equal((await api.delete(`/v2/blacklists/${id}`)).status, 204)
      deepEqual(told(await api.get(`/v2/blacklists/${id}`)), [404, 'blacklist_not_found'])
    })

    test('[B6] the list is filtered and sorted by pattern', async () => {
      for (const pattern of ['b.*', 'B', 'a+']) await addPattern(pattern)
      const patterns = async (query: string) =>
        (await api.list(`/v2/blacklists${query}`)).body.blacklists!.map((row) => row.pattern)
      deepEqual(await patterns('?sort_key=pattern'), ['B', 'a+', 'b.*'])
      deepEqual(await patterns('?pattern=b*'), ['b.*'])
      deepEqual(await patterns(`?pattern=${encodeURIComponent('b.\\*')}`), ['b.*'])
      deepEqual(told(await api.get('/v2/blacklists?name=x')), [400, 'bad_request'])
    })
  })
}
