import { id, moment, nullable, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { patternFault } from './pattern.ts'

export const blacklist = resource(
  {
    name: 'blacklist',
    label: 'Blacklist',
    plural: 'blacklists',
    purpose: 'A regular expression; zones whose name it is found in may be created by administrators only.',
    notFound: 'blacklist_not_found',
  },
  {
    id: id(),
    pattern: text(255, { min: 1, rule: patternFault, write: 'always', filter: true, sort: true }),
    description: nullable(text(160, { write: 'always' })),
    created_at: moment({ sort: true }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

export type Blacklist = RowOf<typeof blacklist>
