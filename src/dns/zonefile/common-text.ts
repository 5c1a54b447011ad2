import { rdataNames, rdataToText } from '../rdata.ts'
import { typeCode } from '../types/index.ts'

// Read by name, with the same octets, by the tools of BIND 9.18, Knot 3.2, NSD 4.6 and ldns 1.8.
const common = new Set([
  1, 2, 5, 6, 12, 13, 15, 16, 17, 18, 21, 25, 28, 29, 33, 35, 36, 37, 39, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
  53, 59, 60, 61, 62, 63, 64, 65, 99, 104, 105, 106, 107, 108, 109, 256, 257,
])

const PARAMETER = /^(?:mandatory|alpn|no-default-alpn|port|ipv4hint|ech|ipv6hint|key\d+)(?:=|$)/

// Of these types they read some records only.
const conditions = new Map<number, (words: readonly string[]) => boolean>([
  [25, (words) => words.length > 3],
  [45, (words) => words.length > 4],
  [46, (words) => areCommon(words.slice(0, 1))],
  [47, (words) => areCommon(words.slice(1))],
  [50, (words) => areCommon(words.slice(5))],
  [62, (words) => words.length > 2 && areCommon(words.slice(2))],
  [64, (words) => words.slice(2).every((word) => PARAMETER.test(word))],
  [65, (words) => words.slice(2).every((word) => PARAMETER.test(word))],
])

// Knot wants all other characters of a name escaped, and NSD takes the dot after `\\` for a part of the label.
const PLAIN_NAME = /^[\w*/.-]*$/
const ODD_CHARACTER = /[^\w*/. -]/

/** A name in the form that every name server in wide use reads. */
export function commonName(name: string): string {
  if (PLAIN_NAME.test(name)) return name
  return name.replace(/\\(?:\d{3}|[^\\])|\\\\|[^\w*/.-]/g, (part) => {
    if (part.length === 4 || (part.length === 2 && part !== '\\\\')) return part
    return `\\${String(part.charCodeAt(0)).padStart(3, '0')}`
  })
}

/** The text of a record if every name server in wide use reads it, undefined if they are only sure to read `\# length hex`. */
export function commonText(type: number, rdata: Uint8Array): string | undefined {
  if (!common.has(type)) return undefined
  const text = rdataToText(type, rdata)
  if (ODD_CHARACTER.test(text) && !rdataNames(type, rdata).every((name) => PLAIN_NAME.test(name))) return undefined
  const condition = conditions.get(type)
  return condition === undefined || condition(text.split(' ')) ? text : undefined
}

function areCommon(types: readonly string[]): boolean {
  return types.every((type) => type.startsWith('TYPE') || common.has(typeCode(type) ?? 0))
}
