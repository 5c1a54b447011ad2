import type { Fault } from '../errors.ts'
import { toUuid } from '../ids.ts'
import type { Profile } from './profile.ts'

export type Path = readonly (string | number)[]
export type Schema = { readonly [keyword: string]: unknown }

/** When a client may set a field: never, only on create, or on create and update. */
export type Write = 'never' | 'create' | 'always'

/** One field of a resource: what it holds, who may write it, how it is found and shown. */
export type Field<T, W extends Write = Write> = {
  readonly schema: Schema
  readonly write: W
  readonly required: boolean
  /** The value of a field the client left out on create. */
  readonly absent: T | undefined
  /** Checks a client's value; adds to `faults` and returns undefined when it is wrong. */
  readonly parse: (value: unknown, path: Path, faults: Fault[]) => T | undefined
  readonly filter: boolean
  /** Whether finding by it has no index and so may look at many rows. */
  readonly slow: boolean
  readonly sort: boolean
  /** Whether the index for it stands apart from what lists are only over. */
  readonly isApart: boolean
  /** The column that filters and sorts use, when it is not the field's own. */
  readonly key: string | undefined
  /** The column it is kept in, when that has another name. */
  readonly column?: string
  /** Whether that column holds the lower-case form. */
  readonly folded: boolean
  /** Whether it is a number, so that filters compare it as one. */
  readonly numeric: boolean
  /** Kept in its column as JSON text. */
  readonly json: boolean
  /** Text that the service makes and that needs no escapes in JSON. */
  readonly plain: boolean
  /** How a mount shows it, where that is not the value itself. */
  show?(value: T, profile: Profile): unknown
  /** Whether some who may see the resource are not shown it. */
  readonly mayBeHidden?: boolean
  /** What clients do who want to set it, where they cannot but there is a way. */
  readonly instead?: string
  /** Whether it is absent, not null, where it has no value. */
  readonly isAbsentIfNull?: boolean
  /** Whether a mount leaves it out of the rows of a list. */
  omitInList?(profile: Profile): boolean
}

export type Options<W extends Write> = {
  readonly write?: W
  /** `slow`: it may be filtered by, without an index. */
  readonly filter?: boolean | 'slow'
  readonly sort?: boolean
  readonly isApart?: boolean
  readonly key?: string
  readonly folded?: boolean
  readonly plain?: boolean
}

/** Adds a fault; returns undefined so that a parser can return it. */
export function fault(faults: Fault[], path: Path, validator: string, rule: unknown, message: string): undefined {
  faults.push({ path, message, validator, validator_value: rule })
  return undefined
}

/** A field of any kind: its schema and how a client's value is checked. */
export const field = <T, W extends Write = 'never'>(
  schema: Schema,
  parse: Field<T>['parse'],
  options: Options<W> & {
    readonly json?: boolean
    show?(value: T, profile: Profile): unknown
  },
): Field<T, W> => ({
  schema,
  parse,
  write: (options.write ?? 'never') as W,
  required: true,
  absent: undefined,
  filter: options.filter !== undefined && options.filter !== false,
  slow: options.filter === 'slow',
  isApart: options.isApart ?? false,
  sort: options.sort ?? false,
  key: options.key,
  folded: options.folded ?? false,
  numeric: schema.type === 'integer',
  json: options.json ?? false,
  plain: options.plain ?? false,
  ...(options.show && { show: options.show }),
})

/** Text of at most `max` characters; `rule` says what else is wrong with it, if anything. */
export function text<W extends Write = 'never'>(
  max: number,
  options: Options<W> & { readonly min?: number; readonly rule?: (value: string) => string | undefined } = {},
): Field<string, W> {
  const min = options.min ?? 0
  const parse: Field<string>['parse'] = (value, path, faults) => {
    if (typeof value !== 'string') return fault(faults, path, 'type', 'string', `must be a string, not ${kind(value)}`)
    if (value.length < min) return fault(faults, path, 'minLength', min, 'must not be empty')
    if (value.length > max && [...value].length > max) {
      return fault(faults, path, 'maxLength', max, `must be at most ${max} characters, not ${[...value].length}`)
    }
    if (!value.isWellFormed() || value.includes('\0')) {
      return fault(faults, path, 'format', 'text', 'must be text without NUL or unpaired surrogates')
    }
    const wrong = options.rule?.(value)
    return wrong === undefined ? value : fault(faults, path, 'format', value, wrong)
  }
  return field({ type: 'string', maxLength: max, ...(min > 0 && { minLength: min }) }, parse, options)
}

/** A whole number within bounds. */
export function integer<W extends Write = 'never'>(
  min: number,
  max: number,
  options: Options<W> = {},
): Field<number, W> {
  const parse: Field<number>['parse'] = (value, path, faults) => {
    if (!Number.isInteger(value)) {
      const given = typeof value === 'number' ? String(value) : kind(value)
      return fault(faults, path, 'type', 'integer', `must be a whole number, not ${given}`)
    }
    if ((value as number) < min || (value as number) > max) {
      return fault(
        faults,
        path,
        (value as number) < min ? 'minimum' : 'maximum',
        (value as number) < min ? min : max,
        `must be ${min}..${max}, not ${value}`,
      )
    }
    return value as number
  }
  return field({ type: 'integer', minimum: min, maximum: max }, parse, options)
}

/** One of a few words. */
export function choice<const T extends string, W extends Write = 'never'>(
  words: readonly T[],
  options: Options<W> = {},
): Field<T, W> {
  const parse: Field<T>['parse'] = (value, path, faults) => {
    const word = words.find((one) => one === value)
    if (word !== undefined) return word
    const given = typeof value === 'string' && value.length <= 40 ? `'${value}'` : kind(value)
    return fault(faults, path, 'enum', words, `must be one of ${words.join(', ')}, not ${given}`)
  }
  return field({ enum: words }, parse, options)
}

/** The id of something else; `of` says of what. */
export const idOf = <W extends Write = 'never'>(of: string, options: Options<W> = {}): Field<string, W> =>
  field(
    { type: 'string', format: 'uuid' },
    (value, path, faults) =>
      (typeof value === 'string' ? toUuid(value) : undefined) ??
      fault(faults, path, 'format', 'uuid', `must be the id of ${of}, a UUID`),
    options,
  )

/** A UUID the service makes. */
export const id = (): Field<string, 'never'> =>
  field<string, 'never'>({ type: 'string', format: 'uuid' }, readOnly, { filter: false, sort: true, plain: true })

/** A moment as `YYYY-MM-DDTHH:MM:SS.ffffff`, set by the service. */
export const moment = (options: Options<'never'> = {}): Field<string, 'never'> =>
  field<string, 'never'>({ type: 'string', examples: ['2026-11-15T08:30:00.000000'] }, readOnly, {
    ...options,
    plain: true,
  })

/** A map from names to text, both bounded. */
export function textMap<W extends Write = 'never'>(
  max: { readonly key: number; readonly value: number; readonly entries: number },
  options: Options<W> & { show?(value: Record<string, string>, profile: Profile): unknown } = {},
): Field<Record<string, string>, W> {
  const key = text(max.key, { min: 1 })
  const entry = text(max.value)
  const parse: Field<Record<string, string>>['parse'] = (value, path, faults) => {
    if (!isObject(value)) return fault(faults, path, 'type', 'object', `must be an object, not ${kind(value)}`)
    const entries = Object.entries(value)
    if (entries.length > max.entries) {
      return fault(
        faults,
        path,
        'maxProperties',
        max.entries,
        `must have at most ${max.entries} entries, not ${entries.length}`,
      )
    }
    const before = faults.length
    for (const [name, held] of entries) {
      key.parse(name, [...path, name], faults)
      entry.parse(held, [...path, name], faults)
    }
    return faults.length === before ? (value as Record<string, string>) : undefined
  }
  const schema = { type: 'object', additionalProperties: entry.schema, maxProperties: max.entries }
  return field(schema, parse, { ...options, json: true })
}

type Shape = Record<string, Field<unknown>>
type ValueOf<S extends Shape> = { readonly [K in keyof S]: S[K] extends Field<infer T> ? T : never }

/** A list of small objects, each with exactly these fields. */
export function objects<S extends Shape, W extends Write = 'never'>(
  shape: S,
  maxItems: number,
  options: Options<W> = {},
): Field<readonly ValueOf<S>[], W> {
  const parse: Field<readonly ValueOf<S>[]>['parse'] = (value, path, faults) => {
    if (!Array.isArray(value)) return fault(faults, path, 'type', 'array', `must be a list, not ${kind(value)}`)
    if (value.length > maxItems) {
      return fault(faults, path, 'maxItems', maxItems, `must have at most ${maxItems} items, not ${value.length}`)
    }
    const before = faults.length
    const items = value.map((item, i) => parseObject(item, shape, [...path, i], faults))
    return faults.length === before ? (items as ValueOf<S>[]) : undefined
  }
  const schema = { type: 'array', maxItems, items: objectSchema(shape) }
  return field(schema, parse, { ...options, json: true })
}

/** A small object with these fields. */
export function object<S extends Shape, W extends Write = 'never'>(
  shape: S,
  options: Options<W> = {},
): Field<ValueOf<S>, W> {
  const parse: Field<ValueOf<S>>['parse'] = (value, path, faults) => {
    const before = faults.length
    const parsed = parseObject(value, shape, path, faults)
    return faults.length === before ? (parsed as ValueOf<S>) : undefined
  }
  return field(objectSchema(shape), parse, { ...options, json: true })
}

function parseObject(value: unknown, shape: Shape, path: Path, faults: Fault[]): Record<string, unknown> {
  if (!isObject(value)) {
    fault(
      faults,
      path,
      'type',
      'object',
      `must be an object with ${Object.keys(shape).join(' and ')}, not ${kind(value)}`,
    )
    return {}
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(shape, name))
      fault(faults, [...path, name], 'additionalProperties', false, `'${name}' is not a field here`)
  }
  const parsed: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(shape)) {
    if (Object.hasOwn(value, name)) parsed[name] = member.parse(value[name], [...path, name], faults)
    else if (member.required) requiredFault(faults, [...path, name], name)
    else parsed[name] = member.absent
  }
  return parsed
}

/** Clients show this very sentence, so its wording is fixed. */
export const requiredFault = (faults: Fault[], path: Path, name: string): undefined =>
  fault(faults, path, 'required', [name], `'${name}' is a required property`)

/** The same field, where null is a value too: what it holds when unset. */
export const nullable = <T, W extends Write>(inner: Field<T, W>): Field<T | null, W> => ({
  ...(inner as Field<T | null, W>),
  schema: { anyOf: [inner.schema, { type: 'null' }] },
  required: false,
  absent: null,
  parse: (value, path, faults) => (value === null ? null : inner.parse(value, path, faults)),
})

/** The same field, with a value for when the client leaves it out or sends null. */
export const defaulted = <T, W extends Write>(inner: Field<T, W>, absent: T): Field<T, W> => ({
  ...inner,
  schema: { anyOf: [inner.schema, { type: 'null' }] },
  required: false,
  absent,
  parse: (value, path, faults) => (value === null ? absent : inner.parse(value, path, faults)),
})

/** The same field, with a value for when the client leaves it out; null is none. */
export const optional = <T, W extends Write>(inner: Field<T, W>, absent: T): Field<T, W> => ({
  ...inner,
  required: false,
  absent,
})

export const objectSchema = (shape: Shape): Schema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, member.schema])),
  required: Object.keys(shape).filter((name) => shape[name]!.required),
  additionalProperties: false,
})

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a person calls the kind of a JSON value. */
export function kind(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return 'a string'
  return typeof value === 'boolean' ? 'a boolean' : 'a number'
}

function readOnly(): never {
  throw new Error('a field that clients may not write was parsed')
}
