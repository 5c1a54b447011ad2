import { fail } from '../../errors.ts'
import type { QuotaName, Quotas } from './fields.ts'

/** What would be over its quota if there were so many, shortest name first. */
export function overQuota(quotas: Quotas, wanted: Partial<Record<QuotaName, number>>): QuotaName[] {
  const names = Object.keys(wanted) as QuotaName[]
  return names
    .filter((name) => quotas[name] >= 0 && wanted[name]! > quotas[name])
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
}

/** Refuses what would be over a quota. */
export function mustFit(quotas: Quotas, wanted: Partial<Record<QuotaName, number>>): void {
  const over = overQuota(quotas, wanted)
  if (over.length > 0) fail('over_quota', `Quota exceeded for ${over.join(', ')}.`)
}
