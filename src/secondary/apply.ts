import { timestamp } from '../clock.ts'
import { type Database, sql, type Tx } from '../db/sql.ts'
import { rdataToText } from '../dns/rdata.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { addSerial, isNewerSerial } from '../dns/serial.ts'
import { commit } from '../journal/journal.ts'
import { countContent } from '../resources/zones/store.ts'
import { SOA } from '../zonedata/type-codes.ts'
import { soaNumber } from '../zonedata/zone.ts'
import { heldSoa } from './content.ts'
import type { SetStep } from './plan.ts'
import { type RowsOf, writeSteps } from './rows.ts'
import { emailOf, type SoaParts, soaWith } from './soa.ts'
import { confirm, isHeld, lockZone, type SecondaryZone } from './store.ts'

/** What a master sent, as what becomes of each record set of a zone. */
export type News = {
  /** The zone as it was when the steps were found. */
  readonly zone: SecondaryZone
  readonly soa: ResourceRecord
  readonly parts: SoaParts
  readonly steps: readonly SetStep[]
  /** How much the zone holds then: its sets with the SOA, its records without. */
  readonly size: { readonly sets: number; readonly records: number }
  /** Whether rows were left half-way before. */
  readonly wasPartial: boolean
  readonly master: string
}

export type Writing = {
  readonly db: Pick<Database, 'write'>
  readonly holder: string
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** The zone changed, or somebody else works on it, since the steps were found: it is looked at again. */
export class Overtaken extends Error {}

const mostListed = 10_000
const setsAtOnce = 200

/** Makes news of a zone what it holds, as one change of it; `finish` ends the same transaction. Gives the serial the zone has then. */
export async function applyNews(
  news: News,
  writing: Writing,
  finish: (tx: Tx, held: number) => Promise<void>,
): Promise<number> {
  const { zone, steps } = news
  const { db } = writing
  if (steps.length <= setsAtOnce) return db.write((tx) => publish(tx, news, steps, writing, finish))
  // Others write in between: what is in the rows is not the zone of any serial until the end, and nobody may load it.
  await db.write(async (tx) => {
    await mustBeAsSeen(tx, zone, writing.holder)
    await tx.run(sql`update zones set partial = 1 where id = ${zone.id}`)
  })
  const partial: SecondaryZone = { ...zone, partial: 1 }
  const of = rowsOf(news, serialFor(news), writing.now())
  for (let at = 0; at < steps.length; at += setsAtOnce) {
    if (writing.signal.aborted) throw new Overtaken('the service stops')
    await db.write(async (tx) => {
      await mustBeAsSeen(tx, partial, writing.holder)
      await writeSteps(tx, steps.slice(at, at + setsAtOnce), of)
    })
  }
  return db.write((tx) => publish(tx, { ...news, zone: partial }, [], writing, finish))
}

/** The last transaction: the zone's change in the journal, its row, its SOA and the counts, beside what rows are left to write. */
async function publish(
  tx: Tx,
  news: News,
  rows: readonly SetStep[],
  { holder, now: clock }: Writing,
  finish: (tx: Tx, held: number) => Promise<void>,
): Promise<number> {
  const { zone, steps, parts, size, wasPartial } = news
  const now = clock()
  await mustBeAsSeen(tx, zone, holder)
  const before = await heldSoa(tx, zone)
  if (isNothingNew(news, before)) {
    await confirm(tx, zone, timestamp(now))
    await finish(tx, zone.serial)
    return zone.serial
  }
  const serial = serialFor(news)
  const after = soaWith(news.soa, zone.name, serial)
  await writeSteps(tx, rows, rowsOf(news, serial, now))
  if (parts.ttl !== zone.ttl) {
    await tx.run(
      sql`update recordsets set ttl = ${zone.ttl} where zone_id = ${zone.id} and ttl is null and type <> 'SOA'`,
    )
  }
  const isFirst = zone.transferred_at === null
  // The journal goes by the order of numbers: where they begin anew, so does it.
  const isReset = isFirst || serial <= zone.serial
  if (isReset) await tx.run(sql`delete from changes where zone_id = ${zone.id}`)
  const removed = steps.flatMap((step) => step.removed)
  const added = steps.flatMap((step) => step.added)
  const at = timestamp(now)
  await commit(
    tx,
    {
      zone_id: zone.id,
      from: zone.serial,
      to: serial,
      removed,
      added,
      soa: { before: () => before, after: () => after },
      anew: isReset || wasPartial || removed.length + added.length > mostListed,
      set: [
        sql`primary_ns = ${parts.primary_ns}, contact = ${parts.contact}, refresh = ${parts.refresh}, retry = ${parts.retry}`,
        sql`expire = ${parts.expire}, minimum = ${parts.minimum}, ttl = ${parts.ttl}`,
        sql`email = ${emailOf(parts.contact, zone.email)}, version = version + 1, updated_at = ${at}, transferred_at = ${at}`,
        sql`recordset_count = ${size.sets}, record_count = ${size.records}, partial = 0, expired_at = null, trouble = null`,
        ...(isReset ? [sql`published_serial = -1`] : []),
        ...(isFirst ? [sql`created_serial = ${serial}`] : []),
      ],
    },
    { user_id: 'nameplane', project_id: 'nameplane', request_id: `from ${news.master}` },
    now,
  )
  await tx.run(sql`
    update recordsets set records = ${JSON.stringify([rdataToText(SOA, after.rdata)])}, serial = ${serial}
    where zone_id = ${zone.id} and name_key = ${zone.name.toLowerCase()} and type = 'SOA'`)
  await finish(tx, serial)
  const { recordset_count, record_count } = zone
  await countContent(tx, zone, { sets: size.sets - recordset_count, records: size.records - record_count })
  return serial
}

async function mustBeAsSeen(tx: Tx, seen: SecondaryZone, holder: string): Promise<void> {
  const row = await lockZone(tx, seen.id)
  if (row === undefined) throw new Overtaken('the zone is gone')
  if (row.serial !== seen.serial || row.masters !== seen.masters || row.partial !== seen.partial)
    throw new Overtaken('the zone was changed meanwhile')
  if (!(await isHeld(tx, seen.id, holder))) throw new Overtaken('another process works on the zone')
}

/** The master's serial, where those who follow us take it for newer; else the next of ours. */
function serialFor({ zone, soa }: News): number {
  const theirs = soaNumber(soa.rdata, 0)
  return zone.transferred_at === null || isNewerSerial(theirs, zone.serial) ? theirs : addSerial(zone.serial, 1)
}

/** Whether a zone that was asked for anew has the very content that it had. */
function isNothingNew({ zone, soa, steps, wasPartial }: News, before: ResourceRecord): boolean {
  if (steps.length > 0 || zone.transferred_at === null || wasPartial) return false
  return soa.ttl === before.ttl && Buffer.compare(soa.rdata, before.rdata) === 0
}

const rowsOf = ({ zone }: News, serial: number, now: Date): RowsOf => ({
  zone_id: zone.id,
  project_id: zone.project_id,
  serial,
  at: timestamp(now),
  now,
})
