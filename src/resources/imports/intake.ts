import { isTrue } from '../../api/auth.ts'
import { fault, kind, textMap } from '../../api/field.ts'
import { parseJson } from '../../api/json.ts'
import { notFound } from '../../api/resource.ts'
import type { Call, Intake } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import type { Database } from '../../db/sql.ts'
import { DnsError } from '../../dns/errors.ts'
import { hostnameFault } from '../../dns/hostname.ts'
import { nameToAscii } from '../../dns/idna.ts'
import { ApiError, type Fault, fail, refuse } from '../../errors.ts'
import { newId, toUuid } from '../../ids.ts'
import type { SchedulerFilter } from '../../scheduler-filters.ts'
import { mayChangeAll } from '../zones/access.ts'
import { zone } from '../zones/fields.ts'
import { choosePool } from '../zones/scheduler.ts'
import * as zones from '../zones/store.ts'
import type { Mode } from './fields.ts'
import * as store from './store.ts'

export type IntakeSettings = {
  readonly importMaxBytes: number
  readonly schedulerFilters: readonly SchedulerFilter[]
}

/** What query parameters an import takes. */
export const importParameters = {
  mode: { enum: ['create', 'replace', 'merge'], default: 'create' },
  zone_id: { type: 'string', format: 'uuid' },
  origin: { type: 'string', examples: ['example.org.'] },
  dry_run: { type: 'boolean' },
} as const

const mostPending = 20
const chunkBytes = 262_144
// A JSON body is held in memory, and reading it keeps everyone waiting; text/dns is neither.
const jsonBytes = 4_194_304

/** How an import's file is taken: to rows, piece by piece, so that it is never in memory and outlives a restart. */
export function importIntake(settings: IntakeSettings): Intake {
  const places = new Places()
  return {
    maxBytes: settings.importMaxBytes,
    types: {
      'text/dns': { type: 'string' },
      'application/json': {
        type: 'object',
        properties: { zonefile: { type: 'string' }, attributes: { type: 'object' } },
        required: ['zonefile'],
      },
    },
    async take(call, body, db) {
      const type = String(call.headers['content-type'] ?? '')
        .split(';')[0]!
        .trim()
        .toLowerCase()
      if (type !== 'text/dns' && type !== 'application/json') {
        fail('unsupported_content_type', 'Content-type must be text/dns, or application/json with a zonefile in it')
      }
      const wanted = await readWanted(call, db)
      return places.within(db, call.caller.project_id, async () => {
        const id = newId(call.now)
        const given = type === 'application/json' ? await fromJson(body) : { file: body, attributes: {} }
        await db.read((tx) => choosePool(tx, settings.schedulerFilters, { ...given, caller: call.caller }))
        const bytes = await keep(db, id, given.file)
        return { ...wanted, id, bytes, attributes: given.attributes } satisfies Taken
      })
    },
  }
}

/** How many files a project may have here that are not imported yet, those that are being sent among them. */
class Places {
  readonly #sending = new Map<string, number>()

  async within<T>(db: Database, projectId: string, take: () => Promise<T>): Promise<T> {
    const sending = this.#add(projectId, 1)
    try {
      const pending = await db.read((tx) => store.pendingOf(tx, projectId, mostPending))
      if (pending + sending > mostPending) {
        const most = `${mostPending} imports of the project wait to be done; send more once some are`
        throw new ApiError('unavailable', most, undefined, { 'Retry-After': '5', Connection: 'close' })
      }
      return await take()
    } finally {
      this.#add(projectId, -1)
    }
  }

  #add(projectId: string, n: number): number {
    const sending = (this.#sending.get(projectId) ?? 0) + n
    if (sending === 0) this.#sending.delete(projectId)
    else this.#sending.set(projectId, sending)
    return sending
  }
}

/** What came in: where its file is, and what to do with it. */
export type Taken = Wanted & Pick<store.NewImport, 'id' | 'bytes' | 'attributes'>
type Wanted = Pick<store.NewImport, 'mode' | 'dry_run' | 'zone_id' | 'origin' | 'author' | 'created_at'>

async function readWanted(call: Omit<Call, 'tx'>, db: Database): Promise<Wanted> {
  const { query, caller } = call
  const mode = query.get('mode') ?? 'create'
  if (!(importParameters.mode.enum as readonly string[]).includes(mode)) {
    fail('bad_request', `mode must be ${importParameters.mode.enum.join(', ')}, not '${mode}'`)
  }
  const zoneId = query.get('zone_id')
  if (zoneId !== undefined && mode === 'create') fail('bad_request', 'zone_id goes with mode=replace or mode=merge')
  const target = zoneId === undefined ? undefined : await targetOf(call, db, zoneId)
  return {
    mode: mode as Mode,
    dry_run: isDryRun(query.get('dry_run')) ? 1 : 0,
    zone_id: target?.id ?? null,
    origin: target?.name ?? originOf(query.get('origin')),
    author: {
      user_id: caller.user_id,
      project_id: caller.project_id,
      roles: [...caller.roles],
      allProjects: caller.allProjects,
      request_id: call.requestId,
    },
    created_at: timestamp(call.now),
  }
}

/** What is neither yes nor no is not taken for no: that would do what was only to be tried. */
function isDryRun(value: string | undefined): boolean {
  if (value === undefined || isTrue(value)) return value !== undefined
  return /^(0|f|false|off|n|no)$/i.test(value)
    ? false
    : fail('bad_request', `dry_run must be true or false, not '${value}'`)
}

async function targetOf({ caller }: Omit<Call, 'tx'>, db: Database, text: string) {
  const id = toUuid(text) ?? fail('invalid_uuid', `Invalid UUID zone_id: ${text}`)
  const row = (await db.read((tx) => zones.get(tx, id, caller))) ?? notFound(zone)
  if (!mayChangeAll(caller, row)) fail('forbidden', 'the zone belongs to another project')
  return row
}

function originOf(text: string | undefined): string | null {
  if (text === undefined) return null
  try {
    const ascii = nameToAscii(text.endsWith('.') ? text : `${text}.`)
    const wrong = hostnameFault(ascii)
    return wrong === undefined ? ascii : fail('bad_request', `origin ${wrong}`)
  } catch (error) {
    if (error instanceof DnsError) fail('bad_request', `origin: ${error.message}`)
    throw error
  }
}

type Given = { readonly file: AsyncIterable<Uint8Array>; readonly attributes: Readonly<Record<string, string>> }

async function fromJson(body: AsyncIterable<Uint8Array>): Promise<Given> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > jsonBytes) {
      const most = `a zone file in JSON may have ${jsonBytes} bytes; send larger ones as text/dns`
      throw new ApiError('request_too_large', most, undefined, { Connection: 'close' })
    }
    chunks.push(chunk)
  }
  return readJson(Buffer.concat(chunks))
}

const attributesField = textMap({ key: 50, value: 50, entries: 100 }, { write: 'always' })

function readJson(bytes: Uint8Array): Given {
  const value = jsonOf(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fail('bad_request', `must be a JSON object with a zonefile, not ${kind(value)}`)
  }
  const { zonefile, attributes, ...others } = value as Record<string, unknown>
  if (typeof zonefile !== 'string') fail('bad_request', "'zonefile' is required: the text of the zone file")
  const faults: Fault[] = []
  for (const key of Object.keys(others)) {
    fault(faults, [key], 'additionalProperties', false, `'${key}' is not a field here; there are zonefile, attributes`)
  }
  const read = attributes == null ? {} : attributesField.parse(attributes, ['attributes'], faults)
  refuse(faults)
  return { file: once(Buffer.from(zonefile, 'utf8')), attributes: read ?? {} }
}

/** Clients know what is wrong with this body as a bad request, whatever it is. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes)
  } catch (error) {
    if (error instanceof ApiError) fail('bad_request', error.message)
    throw error
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}

/** Keeps a file in pieces of one size; returns its length. What was kept of a file that broke off is removed. */
async function keep(db: Database, id: string, file: AsyncIterable<Uint8Array>): Promise<number> {
  let [n, held, total] = [0, [] as Uint8Array[], 0]
  let size = 0
  const put = async () => {
    const data = Buffer.concat(held)
    ;[held, size] = [[], 0]
    const at = n++
    await db.write((tx) => store.putChunk(tx, id, at, data))
  }
  try {
    for await (const piece of file) {
      for (let at = 0; at < piece.length; at += chunkBytes) {
        const part = piece.subarray(at, at + chunkBytes)
        held.push(part)
        size += part.length
        total += part.length
        if (size >= chunkBytes) await put()
      }
    }
    if (size > 0) await put()
    return total
  } catch (error) {
    for (let dropped = 1; dropped > 0; ) dropped = await db.write((tx) => store.dropChunks(tx, id, 16))
    throw error
  }
}
