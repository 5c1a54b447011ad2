import { equal } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { sql } from '../../src/db/sql.ts'
import { runSettings } from '../../src/resources/imports/settings.ts'
import { startImports } from '../../src/resources/imports/start.ts'
import type { ResourceSettings } from '../../src/resources/index.ts'
import type { NewStore, Shown } from './api.ts'
import { testSettings } from './settings.ts'
import { startZonesApi, type ZonesApi } from './zones-api.ts'

export type ShownFault = { line: number | null; column: number | null; severity: string; message: string }
export type ShownImport = Shown & {
  readonly status: string
  readonly message: string | null
  readonly zone_id: string | null
  readonly version: number
  readonly progress: { readonly bytes_read: number; readonly bytes_total: number; readonly records_read: number }
  readonly fault_count: number
  readonly faults: readonly ShownFault[]
  readonly difference: Record<string, unknown> | null
  readonly links: { readonly self: string; readonly zone?: string; readonly faults?: string }
}

/** The service with imports being done, and a client that knows them. */
export type ImportsApi = ZonesApi & {
  /** Sends a file and waits until the import has ended. */
  import(file: string, query?: string, headers?: Record<string, string>): Promise<ShownImport>
  /** Sends a file and expects it to become a zone. */
  imported(file: string, query?: string): Promise<ShownImport>
  /** The file that a zone is exported as. */
  exported(zoneId: string): Promise<string>
}

export async function startImportsApi(
  newStore: NewStore,
  settings: Partial<ResourceSettings> = {},
): Promise<ImportsApi> {
  const api = await startZonesApi(newStore, settings)
  const imports = startImports({
    db: api.db,
    settings: runSettings({ ...testSettings, ...settings }),
    log: pino({ level: 'error' }),
  })
  const started = async (file: string, query = '', headers: Record<string, string> = {}): Promise<ShownImport> => {
    const answer = await api.call<ShownImport>('POST', `/v2/zones/tasks/imports${query}`, {
      headers: { 'Content-Type': 'text/dns', ...headers },
      raw: file,
    })
    equal(answer.status, 202, answer.text)
    return ended(api, answer.body.id, headers)
  }
  return {
    ...api,
    import: started,
    async imported(file, query) {
      const made = await started(file, query)
      equal(made.status, 'COMPLETE', `${made.message} ${JSON.stringify(made.faults)}`)
      return made
    },
    async exported(zoneId) {
      const { status, text, body } = await api.call<Shown>('POST', `/v2/zones/${zoneId}/tasks/export`)
      equal(status, 202, text)
      const file = await api.get(`/v2/zones/tasks/exports/${body.id}/export`, { Accept: 'text/dns' })
      equal(file.status, 200, file.text)
      return file.text
    },
    async close() {
      await imports.stop()
      await api.close()
    },
  }
}

/** Gives a zone of the default project to another. */
export async function handOver(api: ZonesApi, zoneId: string, heir: string): Promise<void> {
  const { body } = await api.post(`/v2/zones/${zoneId}/tasks/transfer_requests`, {})
  const acceptance = { key: body.key, zone_transfer_request_id: body.id }
  const accepted = await api.post('/v2/zones/tasks/transfer_accepts', acceptance, { 'X-Auth-Project-ID': heir })
  equal(accepted.status, 201, accepted.text)
}

/** Waits for an import to end. */
export async function ended(api: ZonesApi, id: string, headers: Record<string, string> = {}): Promise<ShownImport> {
  for (const deadline = Date.now() + 90_000; Date.now() < deadline; await sleep(10)) {
    const { body } = await api.get<ShownImport>(`/v2/zones/tasks/imports/${id}`, headers)
    if (body.status !== 'PENDING') return body
  }
  throw new Error(`import ${id} did not end`)
}

/** How many zones and record sets there are that nobody sees and that are not on their way out. */
export const hidden = (api: ZonesApi): Promise<number> =>
  api.db.read(async (tx) => {
    const row = await tx.get<{ n: number }>(
      sql`select count(*) as n from zones where gone_at is not null and purge_at is null`,
    )
    return row!.n
  })
