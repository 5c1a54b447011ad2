import { isDeepStrictEqual } from 'node:util'
import { areEnough, type ErrorType, type Fault, fail, refuse } from '../errors.ts'
import { type Field, fault, isObject, kind, objectSchema, requiredFault, type Schema, type Write } from './field.ts'
import type { Profile } from './profile.ts'
import { pathFiller, type RowPrinter, rowPrinter } from './row-printer.ts'

export type Fields = Readonly<Record<string, Field<unknown>>>
export type ValueIn<F> = F extends Field<infer T> ? T : never
type Writable<F extends Fields, W extends Write> = {
  [K in keyof F as F[K] extends Field<unknown, infer Given> ? (Given extends W ? K : never) : never]: F[K]
}

/** What is wrong with the fields of a body taken together; those that are wrong by themselves are undefined. */
export type Check<T> = (value: Partial<T>) => readonly Fault[]

/** A resource as the program holds it: every field with its value. */
export type RowOf<R> = R extends Resource<infer F> ? { readonly [K in keyof F]: ValueIn<F[K]> } : never
type Created<F extends Fields> = { readonly [K in keyof Writable<F, 'create' | 'always'>]: ValueIn<F[K & keyof F]> }
type Updated<F extends Fields> = { readonly [K in keyof Writable<F, 'always'>]?: ValueIn<F[K & keyof F]> }

type View = (row: Record<string, unknown>, profile: Profile, mount: string) => Record<string, unknown>

/** One kind of thing the API manages; bodies, views, filters, sort keys and the API document all come from its fields. */
export type Resource<F extends Fields = Fields> = {
  readonly name: string
  /** The word clients see in messages, such as `Could not find Pool`. */
  readonly label: string
  /** The key of the list in a collection, and the last part of its path. */
  readonly plural: string
  /** The table or view that rows are read from. */
  readonly source: string
  readonly purpose: string
  readonly fields: F
  readonly notFound: ErrorType
  /** The path of one, below the mount. */
  readonly path: (row: Record<string, unknown>) => string
  /** A whole body for a create, with every field the client left out filled in; refuses with all its faults. */
  readonly create: (body: unknown, check?: Check<Created<F>>) => Created<F>
  /** What a body changes in a stored row; read-only keys that equal what was shown are ignored. */
  readonly update: (body: unknown, shown: Record<string, unknown>, check?: Check<Updated<F>>) => Updated<F>
  /** A database row as values. */
  readonly fromRow: (row: Record<string, unknown>) => { readonly [K in keyof F]: ValueIn<F[K]> }
  readonly view: View
  /** How a mount shows one by itself. */
  readonly alone: (profile: Profile) => RowPrinter
  /** How a mount shows its rows in a list. */
  readonly inList: (profile: Profile) => RowPrinter
  readonly schema: { readonly view: Schema; readonly create: Schema; readonly update: Schema }
}

/** What the API document tells of any kind of thing, a resource or not. */
export type Described = Pick<Resource, 'name' | 'plural' | 'purpose' | 'fields'> & {
  readonly schema: { readonly view: Schema; readonly create?: Schema; readonly update?: Schema }
}

/** Defines a resource by the table of its fields. */
export function resource<const F extends Fields>(
  about: {
    readonly name: string
    readonly label: string
    readonly plural: string
    readonly source?: string
    /** The path of one, with the ids of its row in braces, when it is not `/plural/{id}`. */
    readonly path?: string
    /** Paths of other things that one links to, by the name of the link, with ids in braces too. */
    readonly links?: Readonly<Record<string, string>>
    readonly purpose: string
    readonly notFound: ErrorType
  },
  fields: F,
): Resource<F> {
  const entries = Object.entries(fields)
  const jsonFields = entries.filter(([, field]) => field.json).map(([name]) => name)
  const renamed = entries.flatMap(([name, { column }]) => (column === undefined ? [] : [[name, column] as const]))
  const pathTemplate = about.path ?? `/${about.plural}/{id}`
  const templates = { self: pathTemplate, ...about.links }
  const fills = Object.entries(templates).map(([link, template]) => [link, pathFiller(template, (id) => id)] as const)
  const path = (row: Record<string, unknown>) => fills[0]![1]((id) => row[id])

  const printerOf = (shown: (profile: Profile) => Fields) =>
    perMount((profile) => rowPrinter({ fields: shown(profile), links: templates }, profile))
  const view: View = (row, profile, mount) => {
    const shown: Record<string, unknown> = {}
    for (const [name, field] of entries) {
      if (field.isAbsentIfNull && row[name] === null) continue
      shown[name] = field.show ? field.show(row[name], profile) : row[name]
    }
    shown.links = Object.fromEntries(fills.map(([link, fill]) => [link, mount + fill((id) => row[id])]))
    return shown
  }

  return {
    ...about,
    source: about.source ?? about.plural,
    fields,
    path,
    create(body, check) {
      const faults: Fault[] = []
      const given = objectBody(body)
      const value: Record<string, unknown> = {}
      for (const key of Object.keys(given)) keyFault(about.name, fields, key, 'create', faults)
      for (const [name, field] of entries) {
        if (field.write === 'never') continue
        if (Object.hasOwn(given, name)) value[name] = field.parse(given[name], [name], faults)
        else if (field.required) requiredFault(faults, [name], name)
        else value[name] = field.absent
      }
      if (check) faults.push(...check(value as Partial<Created<F>>))
      refuse(faults)
      return value as Created<F>
    },
    update: (body, shown, check) => readChanges(about.name, fields, body, shown, check as Check<object>) as Updated<F>,
    fromRow(row) {
      for (const [name, column] of renamed) row[name] = row[column]
      for (const name of jsonFields) row[name] = JSON.parse(row[name] as string)
      return row as { readonly [K in keyof F]: ValueIn<F[K]> }
    },
    view,
    alone: printerOf(() => fields),
    inList: printerOf((profile) => pick(fields, (field) => !field.omitInList?.(profile))),
    schema: {
      view: viewSchema(fields, Object.keys(templates)),
      create: objectSchema(pick(fields, (field) => field.write !== 'never')),
      update: { ...objectSchema(pick(fields, (field) => field.write === 'always')), required: [] },
    },
  }
}

/** What a body changes, by the fields clients may write at any time; refuses with all its faults. */
export function readChanges(
  name: string,
  fields: Fields,
  body: unknown,
  shown: Readonly<Record<string, unknown>>,
  check?: Check<object>,
): Record<string, unknown> {
  const faults: Fault[] = []
  const given = objectBody(body)
  const value: Record<string, unknown> = {}
  for (const key of Object.keys(given)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    const isShown = Object.hasOwn(shown, key)
    if (field?.write === 'always') value[key] = field.parse(given[key], [key], faults)
    else if (isShown && isDeepStrictEqual(given[key], shown[key])) continue
    else if (isShown && field?.write !== 'create') differenceFault(key, shown[key], field?.instead, faults)
    else keyFault(name, fields, key, 'update', faults)
  }
  if (check) faults.push(...check(value))
  refuse(faults)
  return value
}

/** Refuses as not found. */
export const notFound = (resource: Resource): never => fail(resource.notFound, `Could not find ${resource.label}`)

function objectBody(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body
  const faults: Fault[] = []
  fault(faults, [], 'type', 'object', `must be a JSON object, not ${kind(body)}`)
  refuse(faults)
  return {}
}

function keyFault(resource: string, fields: Fields, key: string, when: 'create' | 'update', faults: Fault[]): void {
  if (areEnough(faults)) return
  const known = Object.hasOwn(fields, key) ? fields[key] : undefined
  if (known === undefined && key !== 'links') {
    const writable = Object.keys(fields).filter((name) => fields[name]!.write !== 'never')
    fault(
      faults,
      [key],
      'additionalProperties',
      false,
      `'${key}' is not a field; ${resource} has ${writable.join(', ')}`,
    )
  } else if (known === undefined || known.write === 'never') {
    const instead = known?.instead === undefined ? '' : `; ${known.instead}`
    fault(faults, [key], 'readOnly', true, `'${key}' is set by the service and cannot be given${instead}`)
  } else if (known.write === 'create' && when === 'update') {
    fault(faults, [key], 'readOnly', true, `'${key}' is set on create and cannot be changed`)
  }
}

/** What is sent back with another value was most often right when it was read, so what it is by now is told. */
function differenceFault(key: string, now: unknown, instead: string | undefined, faults: Fault[]): void {
  if (areEnough(faults)) return
  const message = `'${key}' is set by the service and is ${JSON.stringify(now)} now: leave it out or send it so`
  fault(faults, [key], 'readOnly', true, instead === undefined ? message : `${message}; ${instead}`)
}

/** Makes something once for each mount. */
function perMount<T>(make: (profile: Profile) => T): (profile: Profile) => T {
  const made = new Map<Profile, T>()
  return (profile) => {
    const known = made.get(profile) ?? make(profile)
    made.set(profile, known)
    return known
  }
}

const pick = (fields: Fields, keep: (field: Field<unknown>) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => keep(field)))

function viewSchema(fields: Fields, linkNames: readonly string[]): Schema {
  const schema = objectSchema(fields) as { properties: object }
  const link = { type: 'string', format: 'uri' }
  const links = { type: 'object', properties: Object.fromEntries(linkNames.map((name) => [name, link])) }
  // The same shape describes the rows of a list, and some mounts leave these out there.
  const isAlwaysThere = ({ omitInList, mayBeHidden, isAbsentIfNull }: Field<unknown>) =>
    !omitInList && !mayBeHidden && !isAbsentIfNull
  const always = Object.keys(fields).filter((name) => isAlwaysThere(fields[name]!))
  return { ...schema, properties: { ...schema.properties, links }, required: [...always, 'links'] }
}
