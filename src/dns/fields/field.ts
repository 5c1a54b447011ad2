import type { Tokens } from '../text.ts'
import type { Reader, Writer } from '../wire.ts'

/** What a field holds, as plain data: for documentation, forms and generated tests. */
export type Shape =
  | { readonly kind: 'integer'; readonly max: number; readonly names?: Readonly<Record<string, number>> }
  | { readonly kind: 'big integer' | 'seconds' | 'time' | 'type' | 'ipv4' | 'ipv6' | 'name' | 'names' }
  | { readonly kind: 'text' | 'word'; readonly max: number }
  | { readonly kind: 'texts' | 'optional text' | 'types' }
  | { readonly kind: 'hex' | 'base64' | 'base32'; readonly min: number; readonly max: number }
  | { readonly kind: 'groups'; readonly octets: number; readonly separator: string; readonly group: number }
  | { readonly kind: 'location' | 'prefixes' | 'gateway' | 'relay' | 'host identity' | 'parameters' | 'options' }

/** The fields of the same record that stand before this one. */
export type Before = Readonly<Record<string, unknown>>

/** How one kind of field is written in text and in octets; the reader ends where the record does. */
export type Field<T> = {
  readonly shape: Shape
  parse(tokens: Tokens, label: string, before: Before): T
  /** Nothing is printed for an empty text, which only an optional field gives. */
  print(value: T): string
  read(reader: Reader, before: Before): T
  write(writer: Writer, value: T, before: Before): void
  /** The domain names in the value, for a field that has any. */
  names?(value: T): readonly string[]
  /** Text straight to octets, where going by the value would be slow. */
  scan?(tokens: Tokens, label: string): Uint8Array
  /** How many octets each value has, where it is always as many and any will do. */
  readonly octets?: number
  /** Goes over the octets, only checking them, where making the value would be slow. */
  pass?(reader: Reader): void
  /** Whether it asks for the fields before it. */
  readonly looksBack?: true
}
