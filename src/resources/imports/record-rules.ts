import { isAtOrBelow, sameName } from '../../dns/name.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import { typeName } from '../../dns/types/index.ts'
import { ApiError } from '../../errors.ts'
import { mustBeWellFormed, ownerFaults, typeFaults } from '../recordsets/rules.ts'

const [ns, soa] = [2, 6]

export type RecordRules = {
  readonly origin: string
  /** The types that may be used; undefined allows all that make sense. */
  readonly recordTypes: ReadonlySet<string> | undefined
  /** The least TTL the caller may use. */
  readonly minTtl: number
}

/** What becomes of a record of a file: it is `kept`, made by the service itself and so `left out`, or wrong for a reason. */
export type Verdict = 'keep' | 'leave out' | { readonly fault: string }

/** Judges the records of a file one by one, by the rules that the API has for record sets. */
export function recordJudge({ origin, recordTypes, minTtl }: RecordRules): (record: ResourceRecord) => Verdict {
  const ofType = new Map<number, string | undefined>()
  let [owner, isInside, isApex] = ['', false, false]

  const typeFault = (type: number): string | undefined => {
    if (!ofType.has(type)) ofType.set(type, typeFaults(typeName(type), recordTypes)[0]?.message)
    return ofType.get(type)
  }

  return ({ name, type, ttl }) => {
    if (name !== owner) [owner, isInside, isApex] = [name, isAtOrBelow(name, origin), sameName(name, origin)]
    if (!isInside) return { fault: `${name} must be ${origin} or end in .${origin}` }
    if (type === soa) return isApex ? 'leave out' : { fault: 'an SOA must stand at the top of the zone only' }
    if (type === ns && isApex) return 'leave out'
    const fault = typeFault(type) ?? ownerFault(name, typeName(type))
    if (fault !== undefined) return { fault }
    return ttl < minTtl ? { fault: `ttl must be at least ${minTtl}, not ${ttl}` } : 'keep'
  }
}

function ownerFault(name: string, type: string): string | undefined {
  const [wrong] = ownerFaults(name, type)
  if (wrong !== undefined || type !== 'TLSA') return wrong?.message
  try {
    mustBeWellFormed(name, type, 1)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}
