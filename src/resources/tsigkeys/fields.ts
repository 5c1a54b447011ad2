import { type Field, fault, field, id, kind, moment, nullable, type Options, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { toUuid } from '../../ids.ts'
import { dnsName } from './dns-name.ts'

const algorithms = ['hmac-md5', 'hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const
const scopes = ['POOL', 'ZONE'] as const

function choice<const T extends string>(words: readonly T[], options: Options<'always'>): Field<T, 'always'> {
  return field<T, 'always'>(
    { enum: words },
    (value, path, faults) => {
      const word = words.find((one) => one === value)
      if (word !== undefined) return word
      const given = typeof value === 'string' && value.length <= 40 ? `'${value}'` : kind(value)
      return fault(faults, path, 'enum', words, `must be one of ${words.join(', ')}, not ${given}`)
    },
    options,
  )
}

const uuid = field<string, 'always'>(
  { type: 'string', format: 'uuid' },
  (value, path, faults) =>
    (typeof value === 'string' ? toUuid(value) : undefined) ??
    fault(faults, path, 'format', 'uuid', 'must be the id of a pool or a zone, a UUID'),
  { write: 'always' },
)

const anyText = text(160, { write: 'always' })

/** Base64 as every name server reads it; what is wrong is told without the secret. */
const secret = field<string, 'always'>(
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
    resource_id: uuid,
    created_at: moment({ sort: true }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

export type Tsigkey = RowOf<typeof tsigkey>

/** What is woken when a key is made, changed or removed. */
export const tsigkeysTopic = 'tsigkeys'
