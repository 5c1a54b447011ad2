import { integer } from '../../api/field.ts'
import { flat, type ValuesOf } from '../../api/flat.ts'

const most = () => integer(-1, 2_147_483_647, { write: 'always' })

export const quota = flat(
  {
    name: 'quota',
    plural: 'quotas',
    purpose: 'How much a project may have; -1 is no limit.',
  },
  {
    zones: most(),
    zone_recordsets: most(),
    zone_records: most(),
    recordset_records: most(),
    api_export_size: most(),
  },
)

export type Quotas = ValuesOf<typeof quota>
export type QuotaName = keyof Quotas

/** Named sets of defaults: generous, as for one user, or what Designate gives a tenant. */
export const quotaPresets = {
  nameplane: {
    zones: 1000,
    zone_recordsets: 100_000,
    zone_records: 100_000,
    recordset_records: 500,
    api_export_size: 1_000_000,
  },
  designate: { zones: 10, zone_recordsets: 500, zone_records: 500, recordset_records: 20, api_export_size: 1000 },
} as const satisfies Record<string, Quotas>
