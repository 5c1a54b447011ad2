import { id, integer, moment, nullable, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'

const table = resource(
  {
    name: 'zone_export',
    label: 'ZoneExport',
    plural: 'exports',
    source: 'zone_exports',
    path: '/zones/tasks/exports/{id}',
    links: { export: '/zones/tasks/exports/{id}/export' },
    purpose: 'A zone to be fetched as a zone file.',
    notFound: 'zone_export_not_found',
  },
  {
    id: id(),
    status: text(10, { filter: true }),
    message: nullable(text(160, { filter: 'slow' })),
    location: nullable(text(255)),
    zone_id: text(36, { filter: 'slow' }),
    project_id: text(255),
    created_at: moment({ sort: true, key: 'id' }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
    version: integer(1, Number.MAX_SAFE_INTEGER),
  },
)

/** An export as the API shows it; it links to the file once that can be had. */
export const zoneExport: typeof table = {
  ...table,
  view(row, profile, mount) {
    const shown = table.view(row, profile, mount)
    const { self, export: file } = shown.links as Record<string, string>
    return { ...shown, links: { self, ...(row.location !== null && { export: file }) } }
  },
}

export type ZoneExport = RowOf<typeof table>
