import { id, moment, nullable, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { labelsFault } from '../../dns/hostname.ts'

function tldFault(name: string): string | undefined {
  if (name === '.') return "must be a name such as 'org', not the root"
  if (name.endsWith('.')) return `must be written without its final dot: '${name.slice(0, -1)}'`
  return labelsFault(name)
}

export const tld = resource(
  {
    name: 'tld',
    label: 'Tld',
    plural: 'tlds',
    purpose: 'A top-level name under which zones may be created; with none listed, any may.',
    notFound: 'tld_not_found',
  },
  {
    id: id(),
    name: text(253, {
      min: 1,
      rule: tldFault,
      write: 'always',
      filter: true,
      sort: true,
      key: 'name_key',
      folded: true,
    }),
    description: nullable(text(160, { write: 'always' })),
    created_at: moment({ sort: true }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

export type Tld = RowOf<typeof tld>
