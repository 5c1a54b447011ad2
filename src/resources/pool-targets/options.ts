import { fault, kind as kindOf } from '../../api/field.ts'
import type { Fault } from '../../errors.ts'
import { hostFault } from '../../hosts.ts'
import { type TargetKind, type TargetOption, type TargetType, targetKinds } from '../../target-kinds.ts'
import type { GivenOptions, OptionValues, PoolTarget } from './fields.ts'

/** What a target is to be: its options without secrets, its secrets, and all that is wrong with them. */
export type Settled = {
  readonly options: OptionValues
  readonly secrets: Readonly<Record<string, string>>
  readonly faults: readonly Fault[]
}

/** Holds options to the table of their kind. Secrets that are not given stay as they are; null takes one away. Pure. */
export function settle(type: TargetType, given: GivenOptions, kept: Readonly<Record<string, string>>): Settled {
  const known: TargetKind['options'] = targetKinds[type].options
  const faults: Fault[] = []
  const options: Record<string, string | number | boolean> = {}
  const secrets: Record<string, string> = { ...kept }
  for (const [name, value] of Object.entries(given)) {
    const path = ['options', name]
    const option = Object.hasOwn(known, name) ? known[name] : undefined
    if (option === undefined) {
      const names = Object.keys(known).join(', ')
      fault(faults, path, 'additionalProperties', false, `is no option of the kind ${type}, which has ${names}`)
    } else if (value === null) delete secrets[name]
    else {
      const parsed = parse(name, option, value, path, faults)
      if (parsed !== undefined && option.secret) secrets[name] = String(parsed)
      else if (parsed !== undefined) options[name] = parsed
    }
  }
  for (const [name, { required, purpose }] of Object.entries(known)) {
    const isGiven = Object.hasOwn(options, name) || Object.hasOwn(secrets, name)
    const isFaulty = faults.some(({ path }) => path[1] === name)
    if (required && !isGiven && !isFaulty)
      fault(faults, ['options', name], 'required', [name], `'${name}' is a required property of ${type}: ${purpose}`)
  }
  return { options, secrets, faults }
}

/** What is wrong with the masters of a target of this kind. */
export function masterFaults(type: TargetType, masters: PoolTarget['masters']): Fault[] {
  const faults: Fault[] = []
  if (targetKinds[type].masters === 'required' && masters.length === 0) {
    const message = `must have at least one for ${type}: where the server takes zones from, which is this service's own name server`
    fault(faults, ['masters'], 'minItems', 1, message)
  }
  return faults
}

type Value = string | number | boolean

const longest = 1000

/** A value of an option; those who write YAML send numbers and booleans as text, which is taken for what it says. */
function parse(
  name: string,
  { type }: TargetOption,
  value: unknown,
  path: string[],
  faults: Fault[],
): Value | undefined {
  switch (type) {
    case 'boolean': {
      const word = typeof value === 'string' ? value.toLowerCase() : value
      if (word === true || word === 'true') return true
      if (word === false || word === 'false') return false
      return fault(faults, path, 'type', 'boolean', `must be true or false, not ${kindOf(value)}`)
    }
    case 'integer': {
      const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
      if (!Number.isInteger(number))
        return fault(faults, path, 'type', 'integer', `must be a whole number, not ${kindOf(value)}`)
      const [min, max] = boundsOf(name)
      if ((number as number) >= min && (number as number) <= max) return number as number
      return fault(faults, path, 'maximum', max, `must be ${min}..${max}, not ${number}`)
    }
    case 'text': {
      if (typeof value !== 'string')
        return fault(faults, path, 'type', 'string', `must be a string, not ${kindOf(value)}`)
      const wrong = textFault(name, value)
      return wrong === undefined ? value : fault(faults, path, 'format', name, wrong)
    }
  }
}

function boundsOf(name: string): readonly [number, number] {
  if (/(^|_)port$/.test(name)) return [1, 65_535]
  return /(^|_)timeout$/.test(name) ? [1, 600] : [0, 2_147_483_647]
}

function textFault(name: string, value: string): string | undefined {
  if (value === '') return 'must not be empty; leave it out instead'
  if (value.length > longest) return `must be at most ${longest} characters, not ${value.length}`
  if (!value.isWellFormed() || /\p{Cc}/u.test(value)) return 'must be text without control characters'
  if (/(^|_)host$/.test(name)) return hostFault(value)
  if (name.endsWith('_endpoint') && !/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
    return 'must be a URL that begins with http:// or https://'
  return undefined
}
