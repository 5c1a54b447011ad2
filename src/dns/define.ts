import type { Field } from './fields/field.ts'

/** A name, in the layout of a record type. */
export const NAME = 0

type Fields = Readonly<Record<string, Field<unknown>>>

/** The value of a record with these fields: plain data that JSON holds. */
export type ValueOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

/** What a type's file says about it; everything done with its records follows from this. */
type Definition<F extends Fields> = {
  readonly type: string
  readonly code: number
  /** The RFC, or the name of the draft or registration where there is none. */
  readonly rfc: number | string
  /** Never in a zone: it belongs to questions or to messages. */
  readonly meta?: true
  readonly fields: F
  /** What is wrong with text whose fields are each right. Octets from elsewhere are not asked. */
  check?(value: ValueOf<F>): string | undefined
  /** Some octets have no text that gives the same octets back, so the printer makes sure. */
  readonly inexact?: true
  readonly examples: readonly string[]
  /** Other ways to write a record, each with the text it is printed as. */
  readonly also?: Readonly<Record<string, string>>
  readonly rejects: readonly string[]
}

/** A field with its place in a record: the key of its value and the words for it in messages. */
export type Column = { readonly key: string; readonly label: string; readonly field: Field<unknown> }

/** A record type, ready for use. */
export type RecordType<F extends Fields = Fields> = Definition<F> & {
  readonly columns: readonly Column[]
  /** Its octets where fields alone make them up that are names, or of always as many: the lengths of what is between names, 0 for a name. */
  readonly layout: readonly number[] | undefined
  readonly looksBack: boolean
}

/** Makes a record type of its fields. */
export function defineType<const F extends Fields>(definition: Definition<F>): RecordType<F> {
  const columns = Object.entries(definition.fields).map(([key, field]) => ({ key, label: words(key), field }))
  return { ...definition, columns, layout: layoutOf(columns), looksBack: columns.some(({ field }) => field.looksBack) }
}

function layoutOf(columns: readonly Column[]): number[] | undefined {
  const layout: number[] = []
  for (const { field } of columns) {
    const octets = field.shape.kind === 'name' ? NAME : field.octets
    if (octets === undefined) return undefined
    if (octets !== NAME && (layout.at(-1) ?? NAME) !== NAME) layout[layout.length - 1]! += octets
    else layout.push(octets)
  }
  return layout
}

function words(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
