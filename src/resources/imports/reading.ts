import { timestamp } from '../../clock.ts'
import { DnsError } from '../../dns/errors.ts'
import { hostnameFault } from '../../dns/hostname.ts'
import { mailboxEmail, mailboxName } from '../../dns/mailbox.ts'
import { wireToName } from '../../dns/name.ts'
import { canonicalRdata } from '../../dns/rdata.ts'
import type { ZoneFileRecord } from '../../dns/zonefile/entry.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { soaNumber } from '../../zonedata/zone.ts'
import { mustFitLater } from '../quotas/rules.ts'
import { quotasOf } from '../quotas/store.ts'
import { mustNotBeCatalog } from '../zones/access.ts'
import type { Zone } from '../zones/fields.ts'
import { treeKey } from '../zones/rules.ts'
import * as zones from '../zones/store.ts'
import { admit, hide, type Place } from './publish.ts'
import { recordJudge, type Verdict } from './record-rules.ts'
import { Refused, type Run } from './run.ts'
import { inZone, toCompare } from './set-rows.ts'
import { Stager } from './stager.ts'
import * as store from './store.ts'

const soaType = 6
const mostBeforeSoa = 100_000
const mostKept = 10_000

/** A zone in the making: what its row will be, and the ids that its SOA and NS get, so that they come first. */
export type Draft = {
  readonly zone: Zone
  readonly managedIds: { readonly soa: string; readonly ns: string }
  /** Where it goes; undefined when it changes a zone that is there. */
  readonly place: Place | undefined
  readonly soa: ZoneFileRecord
}

export type Read = {
  readonly zone: Draft
  readonly stager: Stager
  readonly content: readonly ZoneFileRecord[] | undefined
}

/** Takes the records of a file as they are read: judges each, and stages those that are to be kept. */
export class Reading {
  readonly #run: Run
  /** What came before the SOA. */
  #early: ZoneFileRecord[] = []
  #draft: Draft | undefined
  #stager: Stager | undefined
  #judge: ((record: ZoneFileRecord) => Verdict) | undefined
  #content: ZoneFileRecord[] | undefined = []

  constructor(run: Run) {
    this.#run = run
  }

  async take(records: readonly ZoneFileRecord[]): Promise<void> {
    if (this.#stager === undefined) {
      const soa = records.find(({ type }) => type === soaType)
      for (const record of records) this.#early.push(record)
      if (soa === undefined) {
        if (this.#early.length > mostBeforeSoa) throw new Refused('An SOA record is required, before the others.')
        return
      }
      await this.#begin(soa)
      const early = this.#early
      this.#early = []
      return this.#stage(early)
    }
    return this.#stage(records)
  }

  /** Resolves once nothing is being staged any more. */
  async quiet(): Promise<void> {
    await this.#stager?.quiet()
  }

  /** What was read, all of it staged. */
  async end(startsWithOrigin: boolean): Promise<Read> {
    if (this.#stager === undefined || this.#draft === undefined) {
      if (!startsWithOrigin && this.#run.job.origin === null) {
        throw new Refused('The $ORIGIN statement is required and must be the first statement in the zonefile.')
      }
      throw this.#run.faults.errors > 0 ? new Refused() : new Refused('An SOA record is required.')
    }
    if (this.#run.faults.errors === 0) {
      await this.#stager.finish()
      await this.#mustFit()
    }
    return { zone: this.#draft, stager: this.#stager, content: this.#content }
  }

  async #begin(soa: ZoneFileRecord): Promise<void> {
    const run = this.#run
    const { db, filler, settings, clock, holder } = run.context
    const now = clock()
    const draft = await this.#draftOf(soa, now)
    const at = timestamp(now)
    run.stagingId = draft.zone.id
    await db.write(async (tx) => {
      if (draft.place !== undefined) await hide(tx, draft.zone, at)
      if ((await store.setStaging(tx, run.job.id, holder, draft.zone.id)) !== 1) throw new Refused('gone')
    })
    const isAdmin = run.caller.roles.has('admin')
    this.#draft = draft
    this.#judge = recordJudge({
      origin: draft.zone.name,
      recordTypes: settings.recordTypes,
      minTtl: isAdmin ? 0 : settings.minTtl,
    })
    const { id: zoneId, project_id: projectId, serial } = draft.zone
    const place = draft.place === undefined ? toCompare(zoneId) : inZone({ zoneId, projectId, serial, at })
    this.#stager = new Stager({ db, filler, place, now, between: () => run.note() })
  }

  async #stage(records: readonly ZoneFileRecord[]): Promise<void> {
    const { faults } = this.#run
    const stager = this.#stager!
    for (const record of records) {
      const verdict = this.#judge!(record)
      if (verdict === 'leave out') this.#mustBeTheSoa(record)
      else if (verdict !== 'keep') faults.error(record.line, 1, verdict.fault)
      else if (stager.add(record)) this.#content?.push(record)
      else
        faults.add({
          line: record.line,
          column: 1,
          severity: 'warning',
          message: `${record.name}: the same record is there twice, once is enough`,
        })
    }
    if (this.#content !== undefined && this.#content.length > mostKept) this.#content = undefined
    // Once something is wrong, the rest is only read to tell what else is.
    if (faults.errors > 0) return stager.forget()
    await stager.flush()
    await this.#mustFit()
  }

  #mustBeTheSoa(record: ZoneFileRecord): void {
    if (record.type !== soaType) return
    const { soa } = this.#draft!
    if (Buffer.compare(canonicalRdata(soaType, soa.rdata), canonicalRdata(soaType, record.rdata)) === 0) return
    this.#run.faults.error(record.line, 1, 'a zone must have one SOA record, and this is another')
  }

  async #mustFit(): Promise<void> {
    const { place } = this.#draft!
    if (place === undefined) return
    const { sets, records, largest } = this.#stager!
    const recordset_records = Math.max(largest, this.#stager!.open)
    const wanted = { zone_recordsets: sets + 2, zone_records: records, recordset_records }
    mustFitLater(place.quotas, wanted, this.#run.caller.project_id)
  }

  async #draftOf(soa: ZoneFileRecord, now: Date): Promise<Draft> {
    const { job, caller, context } = this.#run
    const { db, settings } = context
    const wrong = hostnameFault(soa.name)
    if (wrong !== undefined) throw new Refused(`The zone's name is that of its SOA and ${wrong}`)
    if (job.origin !== null && job.origin.toLowerCase() !== soa.name.toLowerCase()) {
      throw new Refused(`The SOA is at ${soa.name}, and the zone is to be ${job.origin}`)
    }
    const managedIds = { soa: newId(now), ns: newId(now) }
    const fields = soaFields(soa, settings.minTtl, settings.managedEmail)
    const wanted = { name: soa.name, ttl: fields.ttl, attributes: job.attributes }
    if (job.mode !== 'create') {
      const quotas = await db.read((tx) => quotasOf(tx, caller.project_id, settings.quotaDefaults))
      const pool_id = await db.read(async (tx) => (await targetOf(tx, this.#run, soa.name)).pool_id)
      const zone = draftZone(
        { ...wanted, ...fields, serial: 0 },
        { pool_id, ns_revision: 0, servers: ['.'], quotas },
        caller,
        now,
      )
      return { zone, managedIds, place: undefined, soa }
    }
    const place = await db.write((tx) => admit(tx, wanted, caller, settings))
    return { zone: draftZone({ ...wanted, ...fields }, place, caller, now), managedIds, place, soa }
  }
}

/** The zone that an import is to change: the one it names, or the one the caller has of the file's name. */
export async function targetOf(tx: Parameters<typeof zones.get>[0], run: Run, name: string): Promise<Zone> {
  const zone = await namedBy(tx, run, name)
  mustNotBeCatalog(zone)
  return zone
}

async function namedBy(tx: Parameters<typeof zones.get>[0], { job, caller }: Run, name: string): Promise<Zone> {
  if (job.zone_id !== null)
    return (await zones.get(tx, job.zone_id, caller)) ?? fail('zone_not_found', 'Could not find Zone')
  const own = (await zones.sameName(tx, name)).filter(
    ({ project_id }) => caller.allProjects || project_id === caller.project_id,
  )
  if (own.length > 1) fail('bad_request', `There are ${own.length} zones ${name}: say which with zone_id.`)
  const id = own[0]?.id ?? fail('zone_not_found', `Could not find Zone ${name}`)
  return (await zones.get(tx, id, caller)) ?? fail('zone_not_found', 'Could not find Zone')
}

type SoaFields = Pick<Zone, 'email' | 'contact' | 'ttl' | 'serial' | 'retry' | 'expire' | 'minimum'>

/** What a zone takes from the SOA of its file. Refresh is not among it: it is chosen so that secondaries do not all ask at once. */
function soaFields({ rdata, ttl }: ZoneFileRecord, minTtl: number, fallback: string): SoaFields {
  const contact = wireToName(rdata, endOfName(rdata))
  return {
    contact,
    email: emailOf(contact) ?? fallback,
    ttl: ttl === 0 ? minTtl : ttl,
    // Zero stands for "never served" in what tells whether a zone is published.
    serial: soaNumber(rdata, 0) || 1,
    retry: soaNumber(rdata, 2),
    expire: soaNumber(rdata, 3),
    minimum: soaNumber(rdata, 4),
  }
}

function endOfName(rdata: Uint8Array): number {
  let at = 0
  while (rdata[at] !== 0) at += 1 + rdata[at]!
  return at + 1
}

function emailOf(contact: string): string | undefined {
  try {
    const email = mailboxEmail(contact)
    mailboxName(email)
    return email.length <= 255 ? email : undefined
  } catch (error) {
    if (error instanceof DnsError) return undefined
    throw error
  }
}

type Wanted = SoaFields & { readonly name: string; readonly attributes: Readonly<Record<string, string>> }

function draftZone(wanted: Wanted, place: Place, caller: { readonly project_id: string }, now: Date): Zone {
  return {
    ...wanted,
    id: newId(now),
    tree_key: treeKey(wanted.name),
    type: 'PRIMARY',
    description: null,
    masters: [],
    project_id: caller.project_id,
    pool_id: place.pool_id,
    shared: 0,
    primary_ns: place.servers[0]!,
    refresh: 3500 + Math.floor(Math.random() * 101),
    ns_revision: place.ns_revision,
    created_serial: wanted.serial,
    published_serial: 0,
    status: 'PENDING',
    status_reason: null,
    action: 'CREATE',
    version: 1,
    recordset_count: 0,
    record_count: 0,
    created_at: timestamp(now),
    updated_at: null,
    transferred_at: null,
    deleted_at: null,
  }
}
