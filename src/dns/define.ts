import type { Field } from './fields/field.ts'

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
  readonly looksBack: boolean
}

/** Makes a record type of its fields. */
export function defineType<const F extends Fields>(definition: Definition<F>): RecordType<F> {
  const columns = Object.entries(definition.fields).map(([key, field]) => ({ key, label: words(key), field }))
  return { ...definition, columns, looksBack: columns.some(({ field }) => field.looksBack) }
}

function words(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
