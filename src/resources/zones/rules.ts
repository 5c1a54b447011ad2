import { isBelow, labelsOf, parentName } from '../../dns/name.ts'
import type { Fault } from '../../errors.ts'

type Wanted = {
  readonly type: string
  readonly email: string | null
  readonly ttl: number | null
  readonly masters: readonly string[]
}

/** What is wrong with a zone's fields taken together; paths and wording are those that clients know. */
export function zoneFaults({ type, email, ttl, masters }: Partial<Wanted>): Fault[] {
  const faults: Fault[] = []
  const add = (path: readonly string[], validator: string, validator_value: unknown, message: string) =>
    faults.push({ path, message, validator, validator_value })
  if (type === 'SECONDARY') {
    if (masters?.length === 0) add(['type', 'masters'], 'required', ['masters'], "'masters' is a required property")
    for (const [key, value] of Object.entries({ email, ttl })) {
      if (value != null) add(['type'], 'not_allowed', key, `'${key}' can't be specified when type is SECONDARY`)
    }
  } else {
    if (email === null) add(['type', 'email'], 'required', 'email', "'email' is a required property")
    if (masters !== undefined && masters.length > 0) {
      add(['type'], 'maxItems', ['masters'], "'masters' has more items than allowed")
    }
  }
  return faults
}

/** Labels from the root down in lower case, so that what lies below a name is what starts with its key. */
export const treeKey = (name: string): string => `${labelsOf(name.toLowerCase()).toReversed().join('.')}.`

/** The names above one, nearest first, without the root; with `top`, only those below that. */
export function namesAbove(name: string, top = '.'): string[] {
  const found: string[] = []
  let one = parentName(name.toLowerCase())
  while (one !== undefined && isBelow(one, top)) {
    found.push(one)
    one = parentName(one)
  }
  return found
}
