import type { Schema } from './field.ts'

type Known = {
  readonly type?: unknown
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly examples?: readonly unknown[]
}

/** What a schema allows, as a person says it: `text of 1..50 characters`, `null`, `a list of up to 100: …`. */
export function inWords(schema: Schema): string {
  const known = schema as Known
  if (known.anyOf !== undefined) return known.anyOf.map(inWords).join(' or ')
  if (known.enum !== undefined) return known.enum.map(String).join(', ')
  if (known.const !== undefined) return String(known.const)
  if (Array.isArray(known.type)) return known.type.map((type) => inWords({ ...schema, type })).join(' or ')
  switch (known.type) {
    case 'string':
      return text(known)
    case 'integer':
    case 'number':
      return `a ${known.type === 'integer' ? 'whole number' : 'number'}${bounds(known.minimum, known.maximum)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `a list${upTo(known.maxItems)}, each ${known.items === undefined ? 'anything' : inWords(known.items)}`
    case 'object':
      return object(known)
    default:
      return 'anything'
  }
}

function text({ format, minLength, maxLength, examples }: Known): string {
  if (format === 'uuid') return 'a UUID'
  if (examples !== undefined) return `text such as ${examples[0]}`
  if (maxLength === undefined) return 'text'
  return minLength === undefined
    ? `text of up to ${maxLength} characters`
    : `text of ${minLength}..${maxLength} characters`
}

function object({ properties, additionalProperties, maxProperties }: Known): string {
  if (properties !== undefined) {
    return `{ ${Object.entries(properties)
      .map(([name, schema]) => `${name}: ${inWords(schema)}`)
      .join('; ')} }`
  }
  const values = typeof additionalProperties === 'object' ? inWords(additionalProperties as Schema) : 'anything'
  return `a map${upTo(maxProperties)} from names to ${values}`
}

const upTo = (most: number | undefined): string => (most === undefined ? '' : ` of up to ${most}`)

function bounds(least: number | undefined, most: number | undefined): string {
  if (least === undefined && most === undefined) return ''
  return most === undefined ? ` from ${least}` : `, ${least ?? 'up'}${least === undefined ? ' to ' : '..'}${most}`
}
