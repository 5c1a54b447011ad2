import { defaulted, id, integer, moment, nullable, objects, text, textMap } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { hostnameFault } from '../../dns/hostname.ts'

export const pool = resource(
  {
    name: 'pool',
    label: 'Pool',
    plural: 'pools',
    purpose: 'A set of DNS servers that answer for the zones placed in it.',
    notFound: 'pool_not_found',
  },
  {
    id: id(),
    name: text(50, { min: 1, write: 'always', filter: true, sort: true }),
    description: nullable(text(160, { write: 'always' })),
    project_id: nullable(text(255)),
    attributes: defaulted(
      textMap(
        { key: 50, value: 50, entries: 100 },
        {
          write: 'always',
          show: (value, profile) => (Object.keys(value).length === 0 ? profile.unsetAttributes : value),
        },
      ),
      {},
    ),
    ns_records: defaulted(
      objects({ hostname: text(255, { rule: hostnameFault }), priority: integer(1, 10_000) }, 100, { write: 'always' }),
      [],
    ),
    created_at: moment({ sort: true }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

/** A pool as its row has it; `ns_revision` counts the changes of its name servers. */
export type Pool = RowOf<typeof pool> & { readonly ns_revision: number }

/** The pool zones go to when nothing else is asked; it exists from the first start. */
export const defaultPoolId = '794ccc2c-d751-44fe-b57f-8894c9f5c842'

/** What is woken when a pool's name servers change: the zones of the pool must follow. */
export const poolTopic = 'pools'
