import type { Caller } from '../../api/auth.ts'
import { type Clock, timestamp } from '../../clock.ts'
import type { Filler } from '../../db/filler.ts'
import type { LinkedStore } from '../../db/link.ts'
import { DatabaseUnavailable } from '../../db/sql.ts'
import { DnsError } from '../../dns/errors.ts'
import type { Chunk } from '../../dns/zonefile/intake.ts'
import { readZoneFile } from '../../dns/zonefile/zonefile.ts'
import { ApiError } from '../../errors.ts'
import type { PlacedFault } from './content-check.ts'
import { FaultList } from './faults.ts'
import type { Difference, Progress } from './fields.ts'
import { giveUp } from './publish.ts'
import { Reading } from './reading.ts'
import type { RunSettings } from './settings.ts'
import { settle, tellTogether } from './settle.ts'
import * as store from './store.ts'

export type RunContext = {
  readonly db: LinkedStore
  readonly filler: Pick<Filler, 'fill'>
  readonly settings: RunSettings
  readonly holder: string
  readonly clock: Clock
  readonly stopped: AbortSignal
  /** Told of what nobody foresaw. */
  readonly onError: (error: unknown, importId: string) => void
}

/** The import is another's now, was deleted, or we are to stop: what was made of it goes, and nothing is said of it. */
export class Abandoned extends Error {}

/** Faults that keep a file from being imported; they are in the list. */
export class Refused extends Error {}

export const leaseMilliseconds = 20_000
const noteMilliseconds = 500
const mostFaults = 100_000
const mostAttempts = 10

/** Does an import, from its file to its end. Whatever happens, the zone is there whole or not at all. */
export async function runImport(job: store.Job, context: RunContext): Promise<void> {
  const run = new Run(job, context)
  try {
    await run.clearStaging(job.staging_id)
    if (job.attempts > mostAttempts) throw new Error(`given up after ${mostAttempts} attempts`)
    await run.work()
  } catch (error) {
    await run.fail(error)
  }
}

/** One import under way: its job, what is wrong so far, and how far it is. */
export class Run {
  readonly job: store.Job
  readonly context: RunContext
  readonly caller: Caller
  readonly faults: FaultList
  stagingId: string | undefined
  progress: Progress
  #noted = performance.now()

  constructor(job: store.Job, context: RunContext) {
    this.job = job
    this.context = context
    this.faults = new FaultList(job.id)
    this.progress = { ...job.progress, bytes_read: 0, records_read: 0 }
    const { user_id, project_id, roles, allProjects } = job.author
    this.caller = { user_id, project_id, roles: new Set(roles), allProjects, editManaged: false, hardDelete: false }
  }

  async work(): Promise<void> {
    await this.context.db.bulk((tx) => store.dropFaults(tx, this.job.id))
    const reading = new Reading(this)
    try {
      await this.#read(reading)
    } finally {
      await reading.quiet()
    }
  }

  async #read(reading: Reading): Promise<void> {
    for await (const batch of readZoneFile(this.file(), { origin: this.job.origin ?? undefined, mostFaults })) {
      for (const { line, column, message } of batch.faults) this.faults.error(line, column, message)
      await reading.take(batch.records)
      const records_read = this.progress.records_read + batch.records.length
      this.progress = { ...this.progress, bytes_read: batch.bytes, records_read }
      await this.faults.flush(this.context.db, false)
      await this.note()
    }
    const { zone, stager, content } = await reading.end(await this.startsWithOrigin())
    if (this.faults.errors > 0) {
      tellTogether(this, zone, content)
      throw new Refused()
    }
    await settle(this, zone, stager, content)
  }

  /** The file, piece by piece. */
  async *file(): AsyncGenerator<Chunk, void> {
    for (let n = 0; ; n++) {
      const piece = await this.context.db.read((tx) => store.chunk(tx, this.job.id, n))
      if (piece === undefined) return
      yield piece
    }
  }

  /** Whether the file says where its names begin before it says anything else. */
  async startsWithOrigin(): Promise<boolean> {
    const { value } = await this.file().next()
    const text = value === undefined ? '' : Buffer.from(value as Uint8Array).toString('latin1', 0, 65_536)
    return /^(?:\s*;[^\n]*\n|\s)*\$ORIGIN\s/i.test(text)
  }

  /** Notes how far it is, now and then, and keeps the lease. */
  async note(): Promise<void> {
    const { db, holder, clock, stopped } = this.context
    if (stopped.aborted) throw new Abandoned('the service stops')
    if (performance.now() - this.#noted < noteMilliseconds) return
    this.#noted = performance.now()
    const until = timestamp(new Date(clock().getTime() + leaseMilliseconds))
    const kept = await db.bulk((tx) => store.renew(tx, this.job.id, holder, { until, progress: this.progress }))
    if (!kept) throw new Abandoned('the import is not ours any more')
  }

  /** The lines of sets that something is wrong with, found by reading the file once more. */
  async locate(found: readonly PlacedFault[]): Promise<void> {
    if (found.length === 0) return
    const key = (name: string, type: string) => `${name.toLowerCase()} ${type}`
    const lines = new Map(found.map(({ name, type }) => [key(name, type), undefined as number | undefined]))
    const { typeName } = await import('../../dns/types/index.ts')
    for await (const batch of readZoneFile(this.file(), { origin: this.job.origin ?? undefined })) {
      for (const { name, type, line } of batch.records) {
        const place = key(name, typeName(type))
        if (lines.has(place) && lines.get(place) === undefined) lines.set(place, line)
      }
    }
    for (const { name, type, message, severity = 'error' } of found) {
      const line = lines.get(key(name, type)) ?? null
      this.faults.add({ line, column: null, severity, message: `${name} ${type}: ${message}` })
    }
  }

  outcome(ended: Pick<store.Outcome, 'status' | 'message' | 'zone_id'>, difference: Difference | null): store.Outcome {
    const { first, count } = this.faults
    return { ...ended, progress: this.progress, faults: first, fault_count: count, difference }
  }

  async clearStaging(id: string | null | undefined): Promise<void> {
    // What was staged to be compared is removed by and by, once no import has it.
    if (id == null || this.job.mode !== 'create') return
    await this.context.db.write((tx) => giveUp(tx, id, timestamp(this.context.clock())))
  }

  async fail(error: unknown): Promise<void> {
    const { db, holder, clock, onError } = this.context
    const { id } = this.job
    if (error instanceof DatabaseUnavailable || error instanceof Abandoned) {
      // The next who claims it removes what was staged.
      await db.write((tx) => store.release(tx, id, holder)).catch(() => {})
      return
    }
    await this.clearStaging(this.stagingId)
    const message = this.#messageOf(error)
    if (!(error instanceof ApiError || error instanceof Refused || error instanceof DnsError)) onError(error, id)
    await this.faults.flush(db, true)
    const outcome = this.outcome({ status: 'ERROR', message, zone_id: this.job.zone_id }, null)
    await db.write((tx) => store.end(tx, id, holder, outcome, timestamp(clock())))
  }

  #messageOf(error: unknown): string {
    if (error instanceof Refused) {
      if (error.message !== '') return error.message
      const worst = this.faults.worst
      const where =
        worst?.line == null ? '' : `line ${worst.line}${worst.column === null ? '' : `, column ${worst.column}`}: `
      return `Malformed zonefile. ${where}${worst?.message ?? ''}`
    }
    if (error instanceof ApiError) {
      if (error.type === 'duplicate_zone') return 'Duplicate zone.'
      if (error.type === 'over_quota') return `Quota exceeded during zone import. ${error.message}`
      return error.message
    }
    const detail = error instanceof DnsError ? ` ${error.message}` : ' The log of the service has it.'
    return `An undefined error occurred.${detail}`
  }
}
