import { choice, fault, field, id, idOf, moment, nullable, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { dnsName } from './dns-name.ts'

/** The algorithms that keys may be for. */
export const algorithms = ['hmac-md5', 'hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const
const scopes = ['POOL', 'ZONE'] as const

const anyText = text(160, { write: 'always' })

/** Base64 as every name server reads it; what is wrong is told without the secret. */
export const secret = field<string, 'always'>(
  { ...anyText.schema, minLength: 4, contentEncoding: 'base64' },
  (value, path, faults) => {
    // Clients made for Designate look for the fault at this place.
    if (value === '') return fault(faults, ['type'], 'value', ['secret'], "'secret' should not be empty")
    const given = anyText.parse(value, path, faults)
    if (given === undefined || Buffer.from(given, 'base64').toString('base64') === given) return given
    return fault(faults, path, 'format', 'base64', 'must be base64, as `openssl rand -base64 32` prints it')
  },
  { write: 'always' },
)

function nameFault(name: string): string | undefined {
  const parsed = dnsName(name)
  return 'fault' in parsed ? parsed.fault : undefined
}

export const tsigkey = resource(
  {
    name: 'tsigkey',
    label: 'TsigKey',
    plural: 'tsigkeys',
    purpose: 'A secret shared with other name servers, which signs what is exchanged for a pool or a zone.',
    notFound: 'tsigkey_not_found',
  },
  {
    id: id(),
    name: text(160, {
      min: 1,
      rule: nameFault,
      write: 'always',
      filter: true,
      sort: true,
      key: 'name_key',
      folded: true,
    }),
    algorithm: choice(algorithms, { write: 'always', filter: true }),
    secret,
    scope: choice(scopes, { write: 'always', filter: true }),
    resource_id: idOf('a pool or a zone', { write: 'always' }),
    created_at: moment({ sort: true }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

export type Tsigkey = RowOf<typeof tsigkey>

/** What is woken when a key is made, changed or removed. */
export const tsigkeysTopic = 'tsigkeys'
