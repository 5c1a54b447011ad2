import { type Field, fault, field, integer, isObject, kind, objectSchema } from '../../api/field.ts'
import { flat } from '../../api/flat.ts'
import type { Described } from '../../api/resource.ts'
import { type QuotaName, type Quotas, quota } from '../quotas/fields.ts'

export const counts = flat(
  { name: 'report_counts', plural: 'reports', purpose: 'How much there is in all projects together.' },
  {
    counts: field<readonly Record<string, number>[]>(
      { type: 'array', items: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } } },
      () => undefined,
      {},
    ),
  },
)

const tenantSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    zone_count: { type: 'integer' },
    zones_count: { type: 'integer' },
    zones: { type: 'array', items: { type: 'string' } },
    links: { type: 'object', properties: { self: { type: 'string', format: 'uri' } } },
  },
  required: ['id', 'links'],
  additionalProperties: false,
}

export const tenant: Described = {
  name: 'tenant',
  plural: 'tenants',
  purpose: 'A project that has zones, with how many, or which.',
  fields: {},
  schema: { view: tenantSchema },
}

const value = integer(0, 2_147_483_647)
const values = Object.fromEntries(Object.keys(quota.fields).map((name) => [name, value]))
const writable = { ...objectSchema(values), required: [] }

const given: Field<Partial<Quotas>, 'always'> = field(
  writable,
  (body, path, faults) => {
    if (!isObject(body)) return fault(faults, path, 'type', 'object', `must be an object, not ${kind(body)}`)
    const parsed: Partial<Record<QuotaName, number>> = {}
    for (const [name, one] of Object.entries(body)) {
      const at = [...path, name]
      if (!Object.hasOwn(values, name)) fault(faults, at, 'additionalProperties', false, `'${name}' is not a quota`)
      else parsed[name as QuotaName] = value.parse(one, at, faults)!
    }
    return parsed
  },
  { write: 'always' },
)

/** Quotas as this part of the API has them: in an object of their own, and without a word for no limit. */
export const wrappedQuota = flat(
  { name: 'admin_quota', plural: 'quotas', purpose: 'How much a project may have.' },
  { quota: given },
)

export const wrappedQuotaView: Described = {
  ...wrappedQuota,
  schema: {
    view: { type: 'object', properties: { quota: quota.schema.view }, required: ['quota'] },
    update: { type: 'object', properties: { quota: writable }, required: ['quota'] },
  },
}
