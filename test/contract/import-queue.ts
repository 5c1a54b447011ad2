import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { Filler } from '../../src/db/filler.ts'
import { openLinked } from '../../src/db/link.ts'
import { type Sql, sql } from '../../src/db/sql.ts'
import { type RunContext, runImport } from '../../src/resources/imports/run.ts'
import { runSettings } from '../../src/resources/imports/settings.ts'
import * as queue from '../../src/resources/imports/store.ts'
import { startUpkeep } from '../../src/resources/upkeep.ts'
import type { NewStore, Problem } from '../support/api.ts'
import { ended, type ShownImport, startImportsApi } from '../support/imports-api.ts'
import { testSettings } from '../support/settings.ts'
import { mustAgree, startZonesApi } from '../support/zones-api.ts'
import { file } from './imports.ts'

const as = (roles: string, project: string) => ({ 'X-Roles': roles, 'X-Auth-Project-ID': project })

/** The rules of which import is next, of zones that change meanwhile, and of what is kept. */
export function importQueueRules(engine: string, newStore: NewStore): void {
  describe(`the queue of imports on ${engine}`, () => {
    test('[I17] the next import is of the project with the fewest under way, and small ones are found behind any number of large ones', async () => {
      const idle = await startZonesApi(newStore)
      try {
        const author = { user_id: 'u', roles: ['member'], allProjects: false, request_id: 'r' }
        const add = (id: string, project_id: string, bytes: number) =>
          idle.db.write((tx) =>
            queue.insert(tx, {
              ...{ id, mode: 'create', dry_run: 0, zone_id: null, origin: null, attributes: {}, bytes },
              ...{ author: { ...author, project_id }, created_at: '2026' },
            }),
          )
        for (let i = 0; i < 60; i++) await add(`large-${String(i).padStart(2, '0')}`, 'greedy', 5_000_000)
        await add('other', 'modest', 5_000_000)
        await add('small', 'greedy', 1000)
        const claim = async (smallerThan: number) => {
          const moments = { now: '2026-01-01', until: '2026-01-02' }
          return (await idle.db.write((tx) => queue.claim(tx, 'me', moments, smallerThan)))?.id
        }
        const any = Number.MAX_SAFE_INTEGER
        deepEqual([await claim(any), await claim(any)], ['large-00', 'other'])
        deepEqual([await claim(4_194_304), await claim(4_194_304)], ['small', undefined])
        equal(await claim(any), 'large-01')
      } finally {
        await idle.close()
      }
    })

    test('[I38] a project has 20 imports waiting at most, others are not kept from theirs', async () => {
      const idle = await startZonesApi(newStore)
      try {
        const send = (project: string) =>
          idle.call<Problem>('POST', '/v2/zones/tasks/imports', {
            headers: { 'Content-Type': 'text/dns', ...as('member', project) },
            raw: file('waits.org.'),
          })
        for (let i = 0; i < 20; i++) equal((await send('busy')).status, 202)
        const { status, body, headers } = await send('busy')
        deepEqual([status, body.type, headers.get('Retry-After')], [503, 'unavailable', '5'])
        match(body.message!, /20 imports of the project wait/)
        equal((await send('calm')).status, 202)
        const [one] = (await idle.list('/v2/zones/tasks/imports', as('member', 'busy'))).body.imports!
        await idle.delete(`/v2/zones/tasks/imports/${one!.id}`, as('member', 'busy'))
        equal((await send('busy')).status, 202)
        const together = await Promise.all(Array.from({ length: 30 }, () => send('eager')))
        equal(
          together.some((answer) => answer.status === 503),
          true,
        )
      } finally {
        await idle.close()
      }
    })

    test('[I39] a file takes effect in a zone that others change whenever it is looked at', async () => {
      const idle = await startZonesApi(newStore)
      const [link, fillLink] = [idle.db.link(), idle.db.link()]
      const [linked, filler] = [openLinked(link, () => {}), new Filler(fillLink)]
      try {
        const zone = await idle.newZone('lively.org.')
        let looks = 0
        const read: typeof linked.read = async (work) => {
          const seen = await linked.read(work)
          await idle.newSet(zone, `n${looks++}.lively.org.`, 'A', ['192.0.2.1'])
          return seen
        }
        const context: RunContext = {
          ...{ db: { ...linked, read }, filler, settings: runSettings(testSettings), holder: 'me' },
          ...{ clock: () => new Date(), stopped: new AbortController().signal },
          onError: (error) => {
            throw error
          },
        }
        for (const mode of ['merge', 'replace', 'merge&dry_run=true']) {
          const { body } = await idle.call<ShownImport>('POST', `/v2/zones/tasks/imports?mode=${mode}`, {
            headers: { 'Content-Type': 'text/dns' },
            raw: file('lively.org.'),
          })
          const moments = { now: '2026-01-01', until: '9999' }
          const job = await idle.db.write((tx) => queue.claim(tx, 'me', moments, Number.MAX_SAFE_INTEGER))
          await runImport(job!, context)
          const done = await ended(idle, body.id)
          deepEqual([done.status, done.fault_count], ['COMPLETE', 0], done.message!)
          await mustAgree(idle.db, zone)
          if (mode !== 'replace') continue
          // Those that came before the last look are gone, since the file has none of them.
          deepEqual(done.difference!.recordsets_deleted, looks)
        }
        ok(looks >= 15)
      } finally {
        await filler.close()
        await linked.close()
        await idle.close()
      }
    })

    test('[I40] imports and exports that are done are kept for the purge age, then removed with their faults; those that wait stay', async () => {
      const old = await startImportsApi(newStore)
      const count = async (table: Sql) =>
        (await old.db.read((tx) => tx.get<{ n: number }>(sql`select count(*) as n from ${table}`)))!.n
      const counts = async () => [
        await count(sql`zone_imports`),
        await count(sql`zone_exports`),
        await count(sql`import_faults`),
        await count(sql`import_chunks`),
      ]
      const until = async (wanted: number[]) => {
        for (let i = 0; i < 2000 && String(await counts()) !== String(wanted); i++) await sleep(20)
        deepEqual(await counts(), wanted)
      }
      /** Upkeep at a time so many seconds from now. */
      const upkeep = async (later: number, wanted: number[]) => {
        const running = startUpkeep({
          ...{ db: old.db, clock: () => new Date(Date.now() + later * 1000), log: pino({ level: 'error' }) },
          ...{ purgeAgeSeconds: 600, journalAgeSeconds: 1_000_000, journalChangesPerZone: 1000, everyMilliseconds: 20 },
        })
        await sleep(100)
        await until(wanted).finally(() => running.stop())
      }
      try {
        const { zone_id } = await old.imported(file('done.org.'))
        equal((await old.import(file('wrong.org.', 'www IN A 1.2.3\n'))).status, 'ERROR')
        await old.exported(zone_id!)
        await old.db.write((tx) =>
          tx.run(sql`
            insert into zone_imports (id, project_id, status, mode, dry_run, attributes, author, progress, lease_holder,
              lease_until, version, created_at)
            select 'waits', project_id, 'PENDING', mode, dry_run, attributes, author, progress, 'other', '9999', 1, created_at
            from zone_imports limit 1`),
        )
        await until([3, 1, 1, 0])
        await upkeep(590, [3, 1, 1, 0])
        await upkeep(610, [1, 0, 0, 0])
        equal((await old.get(`/v2/zones/${zone_id}`)).status, 200)
      } finally {
        await old.close()
      }
    })
  })
}
