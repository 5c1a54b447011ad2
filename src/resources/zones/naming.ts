import { sql, type Tx } from '../../db/sql.ts'
import { nameToUnicode } from '../../dns/idna.ts'
import { fail } from '../../errors.ts'
import { compilePattern } from '../blacklists/pattern.ts'
import { namesAbove } from './rules.ts'

// RFC 6761, 6762, 7686, 8375, 9476, 9462: names no public zone may be made of.
const special = ['localhost.', 'invalid.', 'local.', 'onion.', 'alt.', 'home.arpa.', 'resolver.arpa.']

export type NamingRules = {
  readonly maxZoneNameLength: number
  readonly allowSpecialNames: boolean
  /** Whether the list of TLDs does not matter. */
  readonly anyTld?: boolean
}

/** Refuses a zone name that the operator's rules leave out; blacklisted ones are left to administrators. */
export async function mustBeAllowedName(tx: Tx, name: string, rules: NamingRules, isAdmin: boolean): Promise<void> {
  const shown = describe(name)
  if (name.length > rules.maxZoneNameLength) {
    fail('invalid_zone_name', `${shown} is longer than ${rules.maxZoneNameLength} characters`)
  }
  const above = namesAbove(name)
  if (above.length === 0) fail('invalid_zone_name', `${shown} must have more than one label`)
  if (!rules.allowSpecialNames) {
    const reserved = [name.toLowerCase(), ...above].find((one) => special.includes(one))
    if (reserved !== undefined) {
      fail('invalid_zone_name', `${shown} lies in ${reserved}, which is reserved and never served publicly (RFC 6761)`)
    }
  }
  if (!rules.anyTld) await mustHaveTld(tx, name, above)
  if (!isAdmin) await mustNotBeBlacklisted(tx, name)
}

async function mustHaveTld(tx: Tx, name: string, above: readonly string[]): Promise<void> {
  if ((await tx.get(sql`select 1 as one from tlds limit 1`)) === undefined) return
  const isListed = async (full: string) =>
    (await tx.get(sql`select 1 as one from tlds where name_key = ${full.slice(0, -1)}`)) !== undefined
  if (await isListed(name.toLowerCase()))
    fail('invalid_zone_name', `${describe(name)} is a TLD; a zone must lie below one`)
  for (const one of above) if (await isListed(one)) return
  fail('invalid_zone_name', `Invalid TLD: ${describe(name)} lies below none of the TLDs listed at /v2/tlds`)
}

async function mustNotBeBlacklisted(tx: Tx, name: string): Promise<void> {
  const rows = await tx.all<{ pattern: string }>(sql`select pattern from blacklists order by id`)
  // A pattern means the name, and names are the same in any case.
  const forms = new Set([name, name.toLowerCase()])
  for (const { pattern } of rows) {
    if (forms.values().some(matcher(pattern))) fail('invalid_zone_name', 'Blacklisted zone name')
  }
}

const matchers = new Map<string, (name: string) => boolean>()

function matcher(pattern: string): (name: string) => boolean {
  let found = matchers.get(pattern)
  if (found === undefined) {
    found = compilePattern(pattern)
    if (matchers.size >= 1000) matchers.clear()
    matchers.set(pattern, found)
  }
  return found
}

/** A name as the caller knows it: A-labels together with the letters they stand for. */
function describe(name: string): string {
  const unicode = nameToUnicode(name)
  return unicode === name ? name : `${name} (${unicode})`
}
