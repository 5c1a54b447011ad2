import {
  defaulted,
  type Field,
  fault,
  field,
  id,
  integer,
  kind,
  moment,
  nullable,
  objects,
  optional,
  text,
  textMap,
} from '../../api/field.ts'
import { flat } from '../../api/flat.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { DnsError } from '../../dns/errors.ts'
import { hostnameFault } from '../../dns/hostname.ts'
import { nameToAscii } from '../../dns/idna.ts'
import { mailboxName } from '../../dns/mailbox.ts'
import { parseMaster } from './masters.ts'

/** A zone's name: letters beyond ASCII become A-labels; otherwise kept as it was written. */
const zoneName = field<string, 'create'>(
  { type: 'string', maxLength: 255, examples: ['example.org.'] },
  (value, path, faults) => {
    if (typeof value !== 'string') return fault(faults, path, 'type', 'string', `must be a string, not ${kind(value)}`)
    if (value.length > 1000) return fault(faults, path, 'maxLength', 255, 'must be at most 255 characters')
    try {
      const ascii = nameToAscii(value)
      const wrong = hostnameFault(isClassless(ascii) ? ascii.replace('/', 'x') : ascii)
      if (wrong === undefined) return ascii
      const shown = ascii === value ? '' : ` ('${value}' is '${ascii}' in ASCII)`
      return fault(faults, path, 'format', 'domainname', wrong + shown)
    } catch (error) {
      if (error instanceof DnsError) return fault(faults, path, 'format', 'domainname', error.message)
      throw error
    }
  },
  { write: 'create', filter: true, sort: true, key: 'name_key', folded: true },
)

/** Whether it is the zone for a part of an IPv4 network as RFC 2317 4 names them: by first address and length, as in 0/25. */
const isClassless = (name: string): boolean => /^\d{1,3}\/\d{1,2}\.(?:\d{1,3}\.){3}in-addr\.arpa\.$/i.test(name)

function emailFault(email: string): string | undefined {
  try {
    mailboxName(email)
    return undefined
  } catch (error) {
    if (error instanceof DnsError) return error.message
    throw error
  }
}

const masters: Field<readonly string[], 'always'> = field(
  { type: 'array', maxItems: 32, items: { type: 'string', examples: ['192.0.2.1', '[2001:db8::1]:5353'] } },
  (value, path, faults) => {
    if (!Array.isArray(value)) return fault(faults, path, 'type', 'array', `must be a list, not ${kind(value)}`)
    if (value.length > 32) return fault(faults, path, 'maxItems', 32, `must have at most 32 items, not ${value.length}`)
    const before = faults.length
    const parsed = value.map((one, i) => {
      const master = typeof one === 'string' ? parseMaster(one) : undefined
      const message = 'must be an address with an optional port, such as 192.0.2.1:53 or [2001:db8::1]:53'
      return master ?? fault(faults, [...path, i], 'format', 'master', message)
    })
    return faults.length === before ? (parsed as string[]) : undefined
  },
  { write: 'always', json: true },
)

export const zone = resource(
  {
    name: 'zone',
    label: 'Zone',
    plural: 'zones',
    purpose: 'A part of the name tree that this service answers for.',
    notFound: 'zone_not_found',
  },
  {
    id: id(),
    pool_id: {
      ...text(36, { plain: true }),
      instead: 'POST /v2/zones/{zone_id}/tasks/pool_move moves a zone to another pool',
    },
    project_id: text(255, { sort: true }),
    name: zoneName,
    email: nullable(text(255, { rule: emailFault, write: 'always', filter: true })),
    description: nullable(text(160, { write: 'always', filter: 'slow' })),
    ttl: nullable(integer(0, 2_147_483_647, { write: 'always', filter: true, sort: true })),
    serial: integer(0, 4_294_967_295, { sort: true }),
    shared: field<number>({ type: 'boolean' }, () => undefined, { show: (value) => value !== 0 }),
    status: text(10, { filter: true, sort: true, plain: true }),
    // Why the status is ERROR; absent when it is not.
    status_reason: { ...nullable(text(100_000)), column: 'trouble', isAbsentIfNull: true },
    action: text(10, { plain: true }),
    version: integer(1, Number.MAX_SAFE_INTEGER),
    attributes: defaulted(textMap({ key: 50, value: 50, entries: 100 }, { write: 'always' }), {}),
    type: optional(text(20, { rule: typeFault, write: 'create', filter: 'slow', plain: true }), 'PRIMARY'),
    masters: defaulted(masters, []),
    // Ids are made in the order of time, so the creation order is theirs.
    created_at: moment({ sort: true, key: 'id' }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
    transferred_at: nullable(moment()),
  },
)

function typeFault(type: string): string | undefined {
  return type === 'PRIMARY' || type === 'SECONDARY' || type === 'CATALOG'
    ? undefined
    : `must be PRIMARY or SECONDARY, not '${type}'`
}

export const nameservers = flat(
  { name: 'nameservers', plural: 'zones', purpose: 'The name servers that a zone is delegated to.' },
  { nameservers: objects({ hostname: text(255), priority: integer(1, 10_000) }, 100) },
)

/** What is known of the masters of a SECONDARY zone. */
export const masterState = flat(
  {
    name: 'master_state',
    plural: 'zones',
    purpose: 'What the masters of a SECONDARY zone last said, and when they are asked next.',
  },
  {
    master: nullable(text(60)),
    serial: nullable(integer(0, 4_294_967_295)),
    checked_at: nullable(moment()),
    next_at: nullable(moment()),
    expires_at: nullable(moment()),
    failures: integer(0, Number.MAX_SAFE_INTEGER),
    last_error: nullable(text(100_000)),
  },
)

/** A zone as its row has it: what the API shows, and what only the service uses. */
export type Zone = Omit<RowOf<typeof zone>, 'email' | 'ttl'> & {
  readonly email: string
  readonly ttl: number
  readonly tree_key: string
  readonly primary_ns: string
  readonly contact: string
  readonly refresh: number
  readonly retry: number
  readonly expire: number
  readonly minimum: number
  readonly ns_revision: number
  readonly created_serial: number
  readonly published_serial: number
  readonly recordset_count: number
  readonly record_count: number
  readonly deleted_at: string | null
}
