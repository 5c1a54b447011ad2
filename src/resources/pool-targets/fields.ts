import {
  choice,
  defaulted,
  type Field,
  fault,
  field,
  id,
  idOf,
  integer,
  isObject,
  kind,
  moment,
  nullable,
  objects,
  optional,
  text,
} from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { hostFault } from '../../hosts.ts'
import { type TargetType, targetKinds } from '../../target-kinds.ts'

export type OptionValues = Readonly<Record<string, string | number | boolean>>

/** Options as clients send them; null takes one away. What they must be depends on the kind: see options.ts. */
export type GivenOptions = Readonly<Record<string, unknown>>

const types = Object.keys(targetKinds) as TargetType[]
const mostOptions = 100

const options: Field<GivenOptions, 'always'> = field(
  {
    type: 'object',
    maxProperties: mostOptions,
    additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
    examples: [{ host: '192.0.2.53', port: 53 }],
  },
  (value, path, faults) => {
    if (!isObject(value)) return fault(faults, path, 'type', 'object', `must be an object, not ${kind(value)}`)
    if (Object.keys(value).length > mostOptions)
      return fault(faults, path, 'maxProperties', mostOptions, `must have at most ${mostOptions} entries`)
    return value
  },
  { write: 'always', json: true },
)

export const poolTarget = resource(
  {
    name: 'pool_target',
    label: 'PoolTarget',
    plural: 'targets',
    source: 'pool_targets',
    path: '/pools/{pool_id}/targets/{id}',
    links: { pool: '/pools/{pool_id}' },
    purpose: 'A server that the zones of a pool are delivered to.',
    notFound: 'pool_target_not_found',
  },
  {
    id: id(),
    pool_id: text(36),
    type: optional(choice(types, { write: 'create', filter: 'slow' }), 'catalog'),
    description: nullable(text(160, { write: 'always' })),
    tsigkey_id: nullable(idOf('a TSIG key', { write: 'always' })),
    masters: defaulted(
      objects({ host: text(255, { rule: hostFault }), port: optional(integer(1, 65_535), 53) }, 16, {
        write: 'always',
      }),
      [],
    ),
    options: defaulted(options, {}),
    secrets_set: {
      ...field<readonly string[]>({ type: 'array', items: { type: 'string' } }, () => undefined, {}),
      column: 'secrets',
    },
    created_at: moment({ sort: true, key: 'id' }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

/** A target as it is shown: its secrets by name alone. */
export type PoolTarget = Omit<RowOf<typeof poolTarget>, 'options'> & { readonly options: OptionValues }
