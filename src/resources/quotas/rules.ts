import { fail } from '../../errors.ts'
import type { QuotaName, Quotas } from './fields.ts'

/** What would be over its quota if there were so many, shortest name first. */
export function overQuota(quotas: Quotas, wanted: Partial<Record<QuotaName, number>>): QuotaName[] {
  const names = Object.keys(wanted) as QuotaName[]
  return names
    .filter((name) => quotas[name] >= 0 && wanted[name]! > quotas[name])
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
}

/** As mustFit, for work that ends after its request has: with the numbers, and where they are set. */
export function mustFitLater(quotas: Quotas, wanted: Partial<Record<QuotaName, number>>, projectId: string): void {
  const over = overQuota(quotas, wanted)
  if (over.length === 0) return
  const each = (numbers: Partial<Record<QuotaName, number>>) => over.map((name) => numbers[name]).join(' and ')
  fail(
    'over_quota',
    `Quota exceeded for ${over.join(', ')}. ${each(quotas)} allowed, at least ${each(wanted)} needed; set at /v2/quotas/${projectId}`,
  )
}

/** Refuses what would be over a quota. */
export function mustFit(quotas: Quotas, wanted: Partial<Record<QuotaName, number>>): void {
  const over = overQuota(quotas, wanted)
  if (over.length > 0) fail('over_quota', `Quota exceeded for ${over.join(', ')}.`)
}
