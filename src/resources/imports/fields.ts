import { field, id, integer, moment, nullable, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'

/** What an import does: makes a zone, makes a zone's content be the file's, or adds the file's to it. */
export type Mode = 'create' | 'replace' | 'merge'

/** How far an import is. */
export type Progress = { readonly bytes_read: number; readonly bytes_total: number; readonly records_read: number }

/** Something wrong in a file: where, and what is right instead. A warning does not keep the file from being imported. */
export type ImportFault = {
  readonly line: number | null
  readonly column: number | null
  readonly severity: 'error' | 'warning'
  readonly message: string
}

/** What an import changes, or would: of records all are counted, of sets some are shown. */
export type Difference = {
  readonly records_added: number
  readonly records_removed: number
  readonly recordsets_created: number
  readonly recordsets_updated: number
  readonly recordsets_deleted: number
  readonly recordsets: readonly SetDifference[]
}

export type SetDifference = {
  readonly action: 'create' | 'update' | 'delete'
  readonly name: string
  readonly type: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** A field that the service makes, of the shape that a schema tells. */
export const made = <T>(schema: Record<string, unknown>) => field<T>(schema, () => undefined, { json: true })
const count = { type: 'integer', minimum: 0 }
const many = <T>(properties: Record<string, unknown>): T =>
  ({ type: 'object', properties, required: Object.keys(properties) }) as T

export const faultSchema = many<Record<string, unknown>>({
  line: { type: ['integer', 'null'] },
  column: { type: ['integer', 'null'] },
  severity: { enum: ['error', 'warning'] },
  message: { type: 'string' },
})

const texts = { type: 'array', items: { type: 'string' } }
const differenceSchema = many<Record<string, unknown>>({
  records_added: count,
  records_removed: count,
  recordsets_created: count,
  recordsets_updated: count,
  recordsets_deleted: count,
  recordsets: {
    type: 'array',
    items: many({
      action: { enum: ['create', 'update', 'delete'] },
      name: { type: 'string' },
      type: { type: 'string' },
      added: texts,
      removed: texts,
    }),
  },
})

const table = resource(
  {
    name: 'zone_import',
    label: 'ZoneImport',
    plural: 'imports',
    source: 'zone_imports',
    path: '/zones/tasks/imports/{id}',
    links: { zone: '/zones/{zone_id}', faults: '/zones/tasks/imports/{id}/faults' },
    purpose: 'A zone file on its way to become a zone, or to change one.',
    notFound: 'zone_import_not_found',
  },
  {
    id: id(),
    status: text(10, { filter: true }),
    message: nullable(text(160, { filter: 'slow' })),
    zone_id: nullable(text(36, { filter: 'slow' })),
    project_id: text(255),
    created_at: moment({ sort: true, key: 'id' }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
    version: integer(1, Number.MAX_SAFE_INTEGER),
    mode: text(10),
    dry_run: field<number>({ type: 'boolean' }, () => undefined, { show: (value) => value !== 0 }),
    progress: made<Progress>(many({ bytes_read: count, bytes_total: count, records_read: count })),
    fault_count: integer(0, Number.MAX_SAFE_INTEGER),
    faults: made<readonly ImportFault[]>({ type: 'array', items: faultSchema }),
    difference: nullable(made<Difference | null>(differenceSchema)),
  },
)

/** An import as the API shows it; it links to its zone once there is one, and to its faults where there are any. */
export const zoneImport: typeof table = {
  ...table,
  fromRow: (row) => ({ ...table.fromRow({ ...row, difference: row.difference ?? 'null' }) }),
  view(row, profile, mount) {
    const shown = table.view(row, profile, mount)
    const { self, zone, faults } = shown.links as Record<string, string>
    const links = { self, ...(row.zone_id !== null && { zone }), ...(row.fault_count !== 0 && { faults }) }
    return { ...shown, links }
  },
}

export type ZoneImport = RowOf<typeof table>

/** Who asked for an import: the work is done in their name. */
export type ImportAuthor = {
  readonly user_id: string
  readonly project_id: string
  readonly roles: readonly string[]
  readonly allProjects: boolean
  readonly request_id: string
}

/** What is woken when there is an import to do. */
export const importTopic = 'zone_imports'
