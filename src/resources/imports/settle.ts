import { timestamp } from '../../clock.ts'
import type { Tx } from '../../db/sql.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import type { ZoneFileRecord } from '../../dns/zonefile/entry.ts'
import { records as recordsIn, zoneFromRecords } from '../../zonedata/zone.ts'
import { mustOwn } from '../zones/access.ts'
import type { Zone } from '../zones/fields.ts'
import { nsRecords, soaRecord } from '../zones/managed.ts'
import * as zones from '../zones/store.ts'
import { applyChanges } from './apply.ts'
import { checkChildren, checkRecords, checkRows, type PlacedFault } from './content-check.ts'
import { type Comparison, differences, type SetChange, type SetRow, Tally } from './difference.ts'
import type { Difference } from './fields.ts'
import { admit, publish } from './publish.ts'
import { type Draft, targetOf } from './reading.ts'
import { Abandoned, Refused, type Run } from './run.ts'
import type { Stager } from './stager.ts'
import * as store from './store.ts'

/** Thrown to undo what was only tried. */
class Tried extends Error {}

const mostRounds = 5
const mostComparedLocked = 10_000

/** Makes an import whose file is staged take effect, whole, in one short transaction; or only tells what it would do. */
export async function settle(
  run: Run,
  draft: Draft,
  stager: Stager,
  content: readonly ZoneFileRecord[] | undefined,
): Promise<void> {
  if (run.job.mode === 'create') await checkStaged(run, draft, content)
  // Warnings are told too; what is wrong has been refused by now.
  await run.faults.flush(run.context.db, true)
  await (run.job.mode === 'create' ? makeZone(run, draft, stager, content) : changeExisting(run, draft, stager))
}

async function checkStaged(run: Run, draft: Draft, content: readonly ZoneFileRecord[] | undefined): Promise<void> {
  const { zone } = draft
  const { db } = run.context
  const children = await db.read((tx) => checkChildren(tx, zone.id, zone.name))
  if (content === undefined)
    await run.locate([...(await db.read((tx) => checkRows(tx, zone.id, zone.name))), ...children])
  else {
    for (const fault of checkRecords(zone.name, ownRecords(draft), content)) run.faults.add(fault)
    if (children.length > 0) await run.locate(children)
  }
  if (run.faults.errors > 0) throw new Refused()
}

/** The records that the service makes itself; in a zone that is there, some in their place. */
const ownRecords = ({ zone, place }: Draft): ResourceRecord[] => [
  soaRecord(zone, zone.serial),
  ...nsRecords(zone, place?.servers ?? [zone.primary_ns]),
]

/** Adds what the lines that could be read do wrong together to the faults of those that could not. */
export function tellTogether(run: Run, draft: Draft, content: readonly ZoneFileRecord[] | undefined): void {
  // Warnings may come from what is missing alone.
  const found = content && checkRecords(draft.zone.name, ownRecords(draft), content)
  for (const fault of found ?? []) if (fault.severity === 'error') run.faults.add(fault)
}

async function makeZone(
  run: Run,
  draft: Draft,
  stager: Stager,
  content: readonly ZoneFileRecord[] | undefined,
): Promise<void> {
  const { settings, clock } = run.context
  const { caller, job } = run
  const { sets, records } = stager
  const difference: Difference = {
    records_added: records,
    records_removed: 0,
    recordsets_created: sets,
    recordsets_updated: 0,
    recordsets_deleted: 0,
    recordsets: [],
  }
  // Each record once, and one TTL in each set, as in the rows.
  const listed = content && [...recordsIn(zoneFromRecords(draft.zone.name, content))]
  await tryOrDo(
    run,
    () => difference,
    draft.zone.id,
    async (tx) => {
      const now = clock()
      const place = await admit(tx, draft.zone, caller, settings)
      const zone = {
        ...draft.zone,
        pool_id: place.pool_id,
        ns_revision: place.ns_revision,
        primary_ns: place.servers[0]!,
        recordset_count: sets + 2,
        record_count: records,
      }
      const requestId = job.author.request_id
      await publish(tx, { zone, place, managedIds: draft.managedIds, content: listed, caller, requestId, now })
      return { zone_id: zone.id, message: `${zone.name} imported`, difference: null }
    },
  )
}

async function changeExisting(run: Run, draft: Draft, { sets }: Stager): Promise<void> {
  const { db } = run.context
  for (let round = 1; ; round++) {
    let compared = await db.read((tx) => compare(tx, run, draft))
    if (round === 1 && compared.kept.length > 0) {
      await run.locate(compared.kept)
      await run.faults.flush(db, true)
    }
    await run.note()
    const { target } = compared
    // What others change meanwhile cannot undo the comparison for ever where it is quick enough to keep them waiting.
    const looked = run.job.mode === 'merge' ? sets : sets + target.recordset_count
    const mayWait = round === mostRounds && looked <= mostComparedLocked
    const found: PlacedFault[] = []
    const done = await tryOrDo(
      run,
      () => compared.difference,
      target.id,
      async (tx) => {
        const { settings, clock } = run.context
        const zone = await zones.lock(tx, target.id, run.caller)
        if (zone === undefined) return undefined
        if (zone.serial !== target.serial || zone.project_id !== target.project_id) {
          if (!mayWait) return undefined
          compared = await compare(tx, run, draft)
        }
        const { changes, difference } = compared
        const { caller, job } = run
        const requestId = job.author.request_id
        await applyChanges(tx, {
          zone,
          changes,
          quotaDefaults: settings.quotaDefaults,
          caller,
          requestId,
          now: clock(),
        })
        // Others that write may be waiting: what the zone has beside that was right before.
        const names = changes.map(({ before, staged }) => (before ?? staged)!.name)
        found.push(
          ...(await checkRows(tx, zone.id, zone.name, names)),
          ...(await checkChildren(tx, zone.id, zone.name)),
        )
        if (found.length > 0) throw new Refused()
        return { zone_id: zone.id, message: `${zone.name} imported`, difference }
      },
    ).catch(async (error: unknown) => {
      if (error instanceof Refused && found.length > 0) await run.locate(found)
      throw error
    })
    if (done) return
    if (round === mostRounds) throw new Refused('The zone changes all the time; try again when it does not.')
  }
}

type Compared = {
  readonly target: Zone
  readonly changes: readonly SetChange[]
  readonly difference: Difference
  /** What the service keeps, and the file would change. */
  readonly kept: readonly PlacedFault[]
}

/** What the file changes in the zone as it is. */
async function compare(tx: Tx, run: Run, draft: Draft): Promise<Compared> {
  const { importMaxChanges } = run.context.settings
  const target = await targetOf(tx, run, draft.zone.name)
  // It may have been another project's since the file was sent, and only be shared with this one.
  mustOwn(run.caller, target)
  const tally = new Tally()
  const changes: SetChange[] = []
  const kept: PlacedFault[] = []
  const comparison: Comparison = {
    stagingId: draft.zone.id,
    mode: run.job.mode as 'replace' | 'merge',
    onKept(old, staged) {
      const message = `stays ${textOf(old)}, as the service keeps it for an address; the file has ${textOf(staged)}`
      kept.push({ name: old.name, type: old.type, severity: 'warning', message })
    },
  }
  for await (const change of differences(tx, target, comparison)) {
    tally.add(change)
    changes.push(change)
    if (changes.length > importMaxChanges) throw new Refused(tooMuch(importMaxChanges))
  }
  return { target, changes, difference: tally.difference, kept }
}

const textOf = ({ records }: SetRow): string => (JSON.parse(records) as string[]).join(' and ')

// All of it is one change, and an embedded store has one writer: others wait for as long as it takes.
const tooMuch = (most: number) =>
  `The file changes more than ${most} record sets (import_max_changes). Import it in parts with mode=merge, or as a new zone.`

type Done = Pick<store.Outcome, 'zone_id' | 'message' | 'difference'>

/** Does the work and notes the end of the import with it; for a dry run all is undone and only the end is noted. */
async function tryOrDo(
  run: Run,
  difference: () => Difference,
  zoneId: string,
  work: (tx: Tx) => Promise<Done | undefined>,
): Promise<boolean> {
  const { db, holder, clock } = run.context
  const { id, dry_run, mode } = run.job
  const end = async (tx: Tx, done: Done) => {
    const outcome = run.outcome({ status: 'COMPLETE', ...done }, done.difference)
    if (!(await store.end(tx, id, holder, outcome, timestamp(clock())))) throw new Abandoned('not ours any more')
  }
  if (dry_run === 0) {
    return db.write(async (tx) => {
      const done = await work(tx)
      if (done !== undefined) await end(tx, done)
      return done !== undefined
    })
  }
  const tried = await db
    .write(async (tx) => {
      if ((await work(tx)) !== undefined) throw new Tried()
      return false
    })
    .catch((error: unknown) => {
      if (error instanceof Tried) return true
      throw error
    })
  if (!tried) return false
  const zone_id = mode === 'create' ? null : zoneId
  await db.write((tx) =>
    end(tx, { zone_id, message: 'Nothing was changed: this was a dry run.', difference: difference() }),
  )
  if (mode === 'create') await run.clearStaging(zoneId)
  return true
}
