import { sql, statement, type Tx } from '../../db/sql.ts'
import type { QuotaName, Quotas } from './fields.ts'

type QuotaRow = { readonly [K in QuotaName]: number | null }

/** What a project may have: what was set for it, and the defaults for the rest. */
export async function quotasOf(tx: Tx, projectId: string, defaults: Quotas): Promise<Quotas> {
  return over(defaults, await tx.get<QuotaRow>(statement`select * from quotas where project_id = ${projectId}`))
}

/** Sets some of a project's quotas and leaves the others as they are; returns all of them. */
export async function setQuotas(
  tx: Tx,
  projectId: string,
  changes: Partial<Quotas>,
  defaults: Quotas,
): Promise<Quotas> {
  const { zones, zone_recordsets, zone_records, recordset_records, api_export_size } = changes
  const row = await tx.get<QuotaRow>(sql`
    insert into quotas (project_id, zones, zone_recordsets, zone_records, recordset_records, api_export_size)
    values (${projectId}, ${zones ?? null}, ${zone_recordsets ?? null}, ${zone_records ?? null},
      ${recordset_records ?? null}, ${api_export_size ?? null})
    on conflict (project_id) do update set
      zones = coalesce(excluded.zones, quotas.zones),
      zone_recordsets = coalesce(excluded.zone_recordsets, quotas.zone_recordsets),
      zone_records = coalesce(excluded.zone_records, quotas.zone_records),
      recordset_records = coalesce(excluded.recordset_records, quotas.recordset_records),
      api_export_size = coalesce(excluded.api_export_size, quotas.api_export_size)
    returning *`)
  return over(defaults, row)
}

/** Puts a project back to the defaults. */
export const resetQuotas = (tx: Tx, projectId: string): Promise<number> =>
  tx.run(sql`delete from quotas where project_id = ${projectId}`)

const over = (defaults: Quotas, row: QuotaRow | undefined): Quotas => ({
  zones: row?.zones ?? defaults.zones,
  zone_recordsets: row?.zone_recordsets ?? defaults.zone_recordsets,
  zone_records: row?.zone_records ?? defaults.zone_records,
  recordset_records: row?.recordset_records ?? defaults.recordset_records,
  api_export_size: row?.api_export_size ?? defaults.api_export_size,
})
