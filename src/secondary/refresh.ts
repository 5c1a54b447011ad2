import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, timestamp } from '../clock.ts'
import { type Database, DatabaseUnavailable, sql, type Tx } from '../db/sql.ts'
import { DnsError } from '../dns/errors.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { type Patience, takeTransfer } from '../exchange/client.ts'
import { BadTransfer, type Transfer, type TransferLimits } from '../exchange/parse-transfer.ts'
import type { Server } from '../exchange/server.ts'
import { quotasOf } from '../resources/quotas/store.ts'
import { keysFor } from '../resources/tsigkeys/store.ts'
import type { Secrets } from '../secrets.ts'
import { condense } from '../zonedata/change.ts'
import { compare } from '../zonedata/compare.ts'
import { rrsets, soaNumber, zoneFromRecords } from '../zonedata/zone.ts'
import { applyNews, type News, Overtaken } from './apply.ts'
import { askMasters, type Master, type Told } from './ask-masters.ts'
import { contentFault, heldContent, heldSoa, setsAt } from './content.ts'
import { parseMaster } from './master.ts'
import { editsOf, Misfit, planSets, type SetStep, touchedFault } from './plan.ts'
import { soaParts, soaWith } from './soa.ts'
import * as store from './store.ts'
import { expiry, nextRefresh, nextRetry, type SoaTimers } from './timers.ts'

type Quotas = Awaited<ReturnType<typeof quotasOf>>

/** The most that a master may send, whatever the owner of the zone may have. */
export type SecondaryLimits = { readonly records: number; readonly octets: number }

export type RefreshContext = {
  readonly db: Pick<Database, 'read' | 'write'>
  readonly secrets: Secrets
  readonly quotaDefaults: Quotas
  readonly limits: SecondaryLimits
  readonly patience: Patience
  readonly holder: string
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
}

/** A zone whose masters are asked: what it is, what it may hold, and who signs. */
type Task = {
  readonly zone: store.SecondaryZone
  readonly state: store.State
  readonly soa: ResourceRecord
  readonly masters: readonly Master[]
  readonly quotas: Quotas
}

type Found = 'taken' | 'same' | 'older'

const failuresToTell = 3

/** Asks the masters of a zone that is claimed, takes what is new, and notes when to ask again. */
export async function refreshZone(context: RefreshContext, state: store.State): Promise<void> {
  const task = await context.db.read((tx) => taskOf(tx, context, state))
  if (task === undefined) {
    await context.db.write((tx) => store.forget(tx, state.zone_id))
    return
  }
  const faults = new Map<string, string>()
  let confirmedBy: string | undefined
  for await (const told of askMasters(task.masters, task.zone.name, context)) {
    const { name } = told
    try {
      const found = await takeFrom(context, task, told)
      if (found === 'taken') return
      if (found === 'same') confirmedBy ??= name
      else faults.set(name, 'its serial is older than the one we have')
    } catch (error) {
      if (error instanceof Overtaken || context.signal.aborted) return giveBack(context, state.zone_id)
      if (error instanceof DatabaseUnavailable) throw error
      if (!(error instanceof BadTransfer || error instanceof DnsError)) throw error
      faults.set(name, error.message)
    }
  }
  if (confirmedBy === undefined) await failed(context, task, inOrder(task, faults))
  else await current(context, task, confirmedBy)
}

const inOrder = ({ masters }: Task, faults: ReadonlyMap<string, string>): string =>
  masters.map(({ name }) => `${name}: ${faults.get(name)}`).join('; ')

async function taskOf(tx: Tx, context: RefreshContext, state: store.State): Promise<Task | undefined> {
  const zone = await store.zoneOf(tx, state.zone_id)
  if (zone === undefined) return undefined
  const [key] = await keysFor(tx, context.secrets, { scope: 'ZONE', resource_id: zone.id })
  const names = JSON.parse(zone.masters) as string[]
  return {
    zone,
    state,
    soa: await heldSoa(tx, zone),
    masters: names.map((name) => ({ name, master: { ...parseMaster(name), key } })),
    quotas: await quotasOf(tx, zone.project_id, context.quotaDefaults),
  }
}

/** What a master has beside what we have; what is newer is taken. */
async function takeFrom(context: RefreshContext, task: Task, told: Told): Promise<Found> {
  const { zone, state } = task
  const { name, master, serial } = told
  if (serial === undefined) throw told.error
  const known = zone.partial === 0 && zone.transferred_at !== null ? state.serial : null
  if (known !== null && serial === known) return 'same'
  if (known !== null && !isNewerSerial(serial, known)) return 'older'
  const isFollowing = known !== null && zone.serial === state.held_serial
  if (isFollowing && (await takeChanges(context, task, name, master))) return 'taken'
  const transfer = await transferFrom(context, task, master, undefined)
  if (transfer.kind !== 'whole') throw new BadTransfer('the master does not send the whole zone')
  const theirs = soaNumber(transfer.soa.rdata, 0)
  if (known !== null && !isNewerSerial(theirs, known))
    throw new BadTransfer(`it sends serial ${theirs}, not a newer one`)
  const news = await wholeNews(context, task, name, transfer)
  await take(context, task, news)
  return 'taken'
}

/** Takes what changed; false where the whole zone is needed. */
async function takeChanges(context: RefreshContext, task: Task, name: string, master: Server): Promise<boolean> {
  const { zone, state, soa } = task
  try {
    const have = soaWith(soa, zone.name, state.serial!)
    const transfer = await transferFrom(context, task, master, have)
    if (transfer.kind === 'current') throw new BadTransfer(`it sends nothing newer than serial ${transfer.serial}`)
    if (!isNewerSerial(soaNumber(transfer.soa.rdata, 0), state.serial!))
      throw new BadTransfer('it sends no newer serial')
    const news =
      transfer.kind === 'whole'
        ? await wholeNews(context, task, name, transfer)
        : await context.db.read((tx) => changedNews(tx, zone, name, transfer))
    await take(context, task, news)
    return true
  } catch (error) {
    // Whatever is wrong with the changes, the whole zone may be right.
    if (error instanceof Misfit || error instanceof DnsError || error instanceof BadTransfer) {
      if (context.signal.aborted) throw error
      context.log.info({ zone: zone.name, master: name, reason: error.message }, 'changes of a zone cannot be taken')
      return false
    }
    throw error
  }
}

function transferFrom(
  { limits, patience, signal }: RefreshContext,
  { zone, quotas }: Task,
  master: Server,
  have: ResourceRecord | undefined,
): Promise<Transfer> {
  const records = quotas.zone_records < 0 ? limits.records : Math.min(limits.records, quotas.zone_records)
  const most: TransferLimits = { records, octets: limits.octets, messages: records + 1000 }
  return takeTransfer(master, zone.name, { have, limits: most, patience, signal })
}

async function wholeNews(
  { db }: RefreshContext,
  { zone }: Task,
  master: string,
  { soa, records }: Extract<Transfer, { kind: 'whole' }>,
): Promise<News> {
  const wanted = zoneFromRecords(zone.name, records)
  const fault = contentFault(wanted)
  if (fault !== undefined) throw new BadTransfer(fault)
  await nextTurn()
  return db.read(async (tx) => {
    const { sets, content } = await heldContent(tx, zone)
    const steps = planSets(editsOf(compare(content, wanted)), sets, zone.ttl)
    const size = { sets: 1 + [...rrsets(wanted)].length, records: wanted.recordCount }
    return { zone, soa, parts: soaParts(soa), steps, size, wasPartial: zone.partial !== 0, master }
  })
}

async function changedNews(
  tx: Tx,
  zone: store.SecondaryZone,
  master: string,
  { soa, changes }: Extract<Transfer, { kind: 'changes' }>,
): Promise<News> {
  const edits = editsOf(condense(changes))
  const stored = await setsAt(
    tx,
    zone.id,
    [...edits.values()].map(({ name }) => name),
  )
  const steps = planSets(edits, stored, zone.ttl)
  const fault = touchedFault(steps, stored.values(), zone.name)
  if (fault !== undefined) throw new Misfit(fault)
  const grown = growth(steps)
  const size = { sets: zone.recordset_count + grown.sets, records: zone.record_count + grown.records }
  return { zone, soa, parts: soaParts(soa), steps, size, wasPartial: false, master }
}

function growth(steps: readonly SetStep[]): { sets: number; records: number } {
  let [sets, records] = [0, 0]
  for (const { id, after, had } of steps) {
    sets += Number(after !== undefined) - Number(id !== undefined)
    records += (after?.rdatas.length ?? 0) - had
  }
  return { sets, records }
}

/** Makes news what the zone holds, within what its owner may have. */
async function take(context: RefreshContext, task: Task, news: News): Promise<void> {
  mustFit(task, news, context.limits)
  const { holder, clock, signal, db } = context
  const serial = soaNumber(news.soa.rdata, 0)
  const held = await applyNews(news, { db, holder, now: clock, signal }, (tx, given) =>
    succeeded(
      tx,
      context,
      news.zone.id,
      news.parts,
      sql`serial = ${serial}, held_serial = ${given}, master = ${news.master},`,
    ),
  )
  const { zone, master, steps } = news
  context.log.info({ zone: zone.name, master, serial: held, sets: steps.length }, 'a zone was taken from its master')
}

function mustFit({ quotas }: Task, { steps, size }: News, limits: SecondaryLimits): void {
  const largest = steps.reduce((most, { after }) => Math.max(most, after?.rdatas.length ?? 0), 0)
  const over = (what: string, n: number, most: number) => {
    if (most >= 0 && n > most) throw new BadTransfer(`the zone has ${n} ${what}, where ${most} is the most`)
  }
  over('records', size.records, limits.records)
  over('records', size.records, quotas.zone_records)
  over('record sets', size.sets, quotas.zone_recordsets)
  over('records in one set', largest, quotas.recordset_records)
}

const current = (context: RefreshContext, { zone }: Task, master: string): Promise<void> =>
  noted(context, zone, async (tx) => {
    await store.confirm(tx, zone, timestamp(context.clock()))
    await succeeded(tx, context, zone.id, zone, sql`master = ${master},`)
  })

/** Notes what was found; nothing where the zone has other masters by now, which are asked at once and have failed in nothing. */
const noted = ({ db, holder }: RefreshContext, zone: store.SecondaryZone, note: (tx: Tx) => Promise<void>) =>
  db.write(async (tx) => {
    const now = await store.lockZone(tx, zone.id)
    if (now?.masters === zone.masters) await note(tx)
    else await store.release(tx, zone.id, holder)
  })

/** Notes that masters answered, and when to ask them again. */
async function succeeded(
  tx: Tx,
  { clock, holder }: Pick<RefreshContext, 'clock' | 'holder'>,
  zoneId: string,
  timers: SoaTimers,
  more: ReturnType<typeof sql>,
): Promise<void> {
  const now = clock()
  const expiresAt = timestamp(expiry(timers, now))
  const set = sql`${more} checked_at = ${timestamp(now)}, expires_at = ${expiresAt}, failures = 0, last_error = null`
  await store.finish(tx, zoneId, holder, timestamp(nextRefresh(timers, now, Math.random())), set)
}

/** Notes that no master could be taken from: what is held is served until it expires. */
async function failed(context: RefreshContext, { zone, state }: Task, reason: string): Promise<void> {
  const { clock, holder, log } = context
  const now = clock()
  const at = timestamp(now)
  const failures = state.failures + 1
  const hasContent = zone.transferred_at !== null
  const isExpired = hasContent && state.expires_at !== null && state.expires_at <= at
  const retry = timestamp(nextRetry(zone, now, failures, hasContent))
  const nextAt = !isExpired && state.expires_at !== null && state.expires_at < retry ? state.expires_at : retry
  log.warn({ zone: zone.name, reason, failures }, 'no master of a zone can be taken from; they are asked again')
  await noted(context, zone, async (tx) => {
    if (isExpired) await store.noteTrouble(tx, zone.id, `expired: ${reason}`, true, at)
    else if (!hasContent && failures >= failuresToTell) await store.noteTrouble(tx, zone.id, reason, false, at)
    await store.finish(tx, zone.id, holder, nextAt, sql`failures = ${failures}, last_error = ${reason}`)
  })
}

async function giveBack({ db, holder }: RefreshContext, zoneId: string): Promise<void> {
  await db.write((tx) => store.release(tx, zoneId, holder))
}
