import { fault, field, id, integer, kind, moment, nullable, optional, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { DnsError } from '../../dns/errors.ts'
import { hostnameFault } from '../../dns/hostname.ts'
import { nameToAscii } from '../../dns/idna.ts'
import { parseName } from '../../dns/name.ts'
import type { RecordsetRow } from '../zones/recordset-rows.ts'

/** The owner of records: a full name, its first label perhaps `*`; letters beyond ASCII become A-labels. */
const ownerName = field<string, 'create'>(
  // 255 octets, each of which may be written as an escape of four characters.
  { type: 'string', maxLength: 1020, examples: ['www.example.org.', '*.example.org.'] },
  (value, path, faults) => {
    if (typeof value !== 'string') return fault(faults, path, 'type', 'string', `must be a string, not ${kind(value)}`)
    const wrong = ownerFault(value)
    return wrong === undefined ? ownerText(value) : fault(faults, path, 'format', 'hostname', wrong)
  },
  { write: 'create', filter: true, sort: true, key: 'name_key', folded: true },
)

const ownerText = (text: string): string => parseName(nameToAscii(text))

function ownerFault(text: string): string | undefined {
  if (text.length > 1020) return 'must be at most 255 octets'
  try {
    const ascii = nameToAscii(text)
    if (!ascii.endsWith('.')) return hostnameFault(ascii)
    // Escapes and the slash of classless reverse zones (RFC 2317) are names too; all else follows the rule for hosts.
    if (ascii.includes('\\')) parseName(ascii)
    else return hostnameFault(ascii.replace(/^\*\./, 'x.').replaceAll('/', 'x'))
    return undefined
  } catch (error) {
    if (error instanceof DnsError) return error.message
    throw error
  }
}

const records = field<readonly string[], 'always'>(
  { type: 'array', items: { type: 'string' }, examples: [['192.0.2.7']] },
  (value, path, faults) => {
    if (!Array.isArray(value)) {
      return fault(faults, path, 'type', ['list'], `'${shorten(value)}' is not a valid list of records`)
    }
    const before = faults.length
    for (const [i, one] of value.entries()) {
      if (typeof one !== 'string') fault(faults, [...path, i], 'type', 'string', `must be a string, not ${kind(one)}`)
    }
    return faults.length === before ? (value as string[]) : undefined
  },
  { write: 'always', json: true },
)

const shorten = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? ''

export const recordset = resource(
  {
    name: 'recordset',
    label: 'RecordSet',
    plural: 'recordsets',
    source: 'recordset_rows',
    path: '/zones/{zone_id}/recordsets/{id}',
    purpose: 'All records of one name and type in a zone.',
    notFound: 'recordset_not_found',
  },
  {
    id: id(),
    zone_id: text(36, { filter: true, sort: true, isApart: true, plain: true }),
    project_id: text(255, { sort: true, isApart: true }),
    name: ownerName,
    zone_name: text(255),
    type: text(20, { write: 'create', filter: true, sort: true }),
    records: { ...optional(records, []), omitInList: (profile) => !profile.recordsInLists },
    description: nullable(text(160, { write: 'always', filter: 'slow' })),
    ttl: nullable(integer(0, 2_147_483_647, { write: 'always', filter: true, sort: true, key: 'ttl_key' })),
    status: text(10, { filter: 'slow', plain: true }),
    action: text(10, { filter: 'slow', plain: true }),
    version: integer(1, Number.MAX_SAFE_INTEGER),
    created_at: moment({ sort: true, key: 'id' }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

/** A record set as the API shows it, and what its row has beside that. */
export type Recordset = RowOf<typeof recordset> & Pick<RecordsetRow, 'managed' | 'serial'>
