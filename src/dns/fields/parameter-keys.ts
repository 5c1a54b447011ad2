import { parseIpv6, printAddress } from '../address.ts'
import { DnsError, TextError, WireError } from '../errors.ts'
import { show } from '../text.ts'
import { ipv4Octets } from './addresses.ts'
import { base64Of, toBase64 } from './binary.ts'
import { decimal } from './integers.ts'

/** How a service parameter's value is written: text whose characters are octets, escapes gone, to wire octets and back. */
export type KeyFormat = {
  parse(text: string, key: string): Uint8Array
  print(octets: Uint8Array): string
}

const opaque: KeyFormat = { parse: octetsOf, print: latin1 }

const empty: KeyFormat = {
  parse(text, key) {
    if (text !== '') throw new TextError(`${key} must have no value, not ${show(text)}`)
    return new Uint8Array()
  },
  print(octets) {
    if (octets.length > 0) throw new WireError('a parameter without a value has one')
    return ''
  },
}

/** A list of items of one size, none empty. */
function list(
  size: number,
  parse: (item: string, key: string) => Uint8Array,
  print: (item: Uint8Array) => string,
): KeyFormat {
  return {
    parse(text, key) {
      const items = itemsOf(text, key)
      const octets = new Uint8Array(size * items.length)
      for (let i = 0; i < items.length; i++) octets.set(parse(items[i]!, key), i * size)
      return octets
    },
    print(octets) {
      if (octets.length === 0 || octets.length % size !== 0) throw new WireError('a list in a parameter is cut short')
      let text = print(octets.subarray(0, size))
      for (let at = size; at < octets.length; at += size) text += `,${print(octets.subarray(at, at + size))}`
      return text
    },
  }
}

const keys16 = list(
  2,
  (name) => u16(keyCode(name)),
  (item) => keyName(number16(item)),
)
const mandatory: KeyFormat = {
  parse(text, key) {
    const codes = itemsOf(text, key).map(keyCode)
    if (codes.includes(0)) throw new TextError('mandatory must not list itself')
    if (new Set(codes).size < codes.length) throw new TextError('mandatory must list each key once')
    return keys16.parse(
      codes
        .sort((a, b) => a - b)
        .map(keyName)
        .join(','),
      key,
    )
  },
  print(octets) {
    const text = keys16.print(octets)
    for (let at = 0, last = 0; at < octets.length; at += 2) {
      const code = number16(octets.subarray(at))
      if (code <= last) throw new WireError('mandatory keys are out of order')
      last = code
    }
    return text
  },
}

const alpn: KeyFormat = {
  parse(text, key) {
    const items = itemsOf(text, key)
    const octets = new Uint8Array(items.reduce((length, item) => length + 1 + item.length, 0))
    let at = 0
    for (const item of items) {
      if (item.length > 255) throw new TextError(`${key} must have 1..255 octets in each item, not ${item.length}`)
      octets[at++] = item.length
      for (let i = 0; i < item.length; i++) octets[at++] = item.charCodeAt(i)
    }
    return octets
  },
  print(octets) {
    if (octets.length === 0) throw new WireError('alpn is empty')
    const items: string[] = []
    for (let at = 0; at < octets.length; ) {
      const end = at + 1 + octets[at]!
      if (end === at + 1 || end > octets.length) throw new WireError('an alpn item is empty or cut short')
      items.push(latin1(octets.subarray(at + 1, end)).replace(/[\\,]/g, '\\$&'))
      at = end
    }
    return items.join(',')
  },
}

const port: KeyFormat = {
  parse: (text, key) => u16(numberOf(text, key)),
  print(octets) {
    if (octets.length !== 2) throw new WireError(`port has 2 octets, not ${octets.length}`)
    return String(number16(octets))
  },
}

const ech: KeyFormat = {
  parse(text, key) {
    if (text === '') throw new TextError(`${key} must have a value`)
    return base64Of(text, key)
  },
  print(octets) {
    if (octets.length === 0) throw new WireError('ech is empty')
    return toBase64(octets)
  },
}

const dohpath: KeyFormat = {
  parse(text, key) {
    const octets = octetsOf(text)
    if (text.startsWith('/') && !text.includes(' ') && isUtf8(octets) && variablesOf(text).includes('dns'))
      return octets
    throw new TextError(`${key} must be as in /dns-query{?dns}, not ${show(text)}`)
  },
  print: latin1,
}

// RFC 6570 2: names between braces, after an operator and with commas between.
function variablesOf(template: string): string[] {
  const expressions = [...template.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)]
  return expressions.flatMap(([, names]) => names!.split(',').map((name) => name.replace(/[*:].*$/, '')))
}

const groups = list(
  2,
  (item, key) => u16(numberOf(item, key)),
  (item) => String(number16(item)),
)
const ipv4hint = list(4, (item, key) => addressOf(ipv4Octets, item, key), printAddress)
const ipv6hint = list(16, (item, key) => addressOf(parseIpv6, item, key), printAddress)

const keys: readonly (readonly [name: string, format: KeyFormat])[] = [
  ['mandatory', mandatory],
  ['alpn', alpn],
  ['no-default-alpn', empty],
  ['port', port],
  ['ipv4hint', ipv4hint],
  ['ech', ech],
  ['ipv6hint', ipv6hint],
  ['dohpath', dohpath],
  ['ohttp', empty],
  ['tls-supported-groups', groups],
]

/** The names of the keys that have one, in the order of their numbers. */
const keyNames: readonly string[] = keys.map(([name]) => name)

/** How the value of a key is written. */
export function keyFormat(code: number): KeyFormat {
  return keys[code]?.[1] ?? opaque
}

/** The name of a key, or `key` and its number. */
export function keyName(code: number): string {
  if (code === 65535) throw new WireError('service parameter 65535 is not allowed')
  return keys[code]?.[0] ?? `key${code}`
}

/** The number of a key given by name or as `key` and its number. */
export function keyCode(name: string): number {
  const known = keyNames.indexOf(name)
  if (known >= 0) return known
  const code = /^key(?:0|[1-9]\d{0,4})$/.test(name) ? Number(name.slice(3)) : 65535
  if (code < 65535) return code
  throw new TextError(`parameter must be one of ${keyNames.join(' ')} or key0..key65534, not ${show(name)}`)
}

// RFC 9460 A.1: items between commas; a backslash makes the next comma or backslash part of the item.
function itemsOf(text: string, key: string): string[] {
  const items = text.includes('\\') ? escapedItems(text, key) : text.split(',')
  if (items.includes('')) throw new TextError(`${key} must be a list with commas between and no empty item`)
  return items
}

function escapedItems(text: string, key: string): string[] {
  const items = ['']
  for (let at = 0; at < text.length; at++) {
    let character = text[at]!
    if (character === ',') {
      items.push('')
      continue
    }
    if (character === '\\') {
      character = text[++at] ?? ''
      if (character !== ',' && character !== '\\') throw new TextError(`\\ in ${key} must stand before , or another \\`)
    }
    items[items.length - 1] += character
  }
  return items
}

function numberOf(text: string, key: string): number {
  const n = decimal(text, 65535)
  if (n < 0) throw new TextError(`${key} must be 0..65535, not ${show(text) || 'empty'}`)
  return n
}

function addressOf(parse: (text: string) => Uint8Array, item: string, key: string): Uint8Array {
  try {
    return parse(item)
  } catch (error) {
    if (error instanceof DnsError) throw new TextError(`${key}: ${error.message}`)
    throw error
  }
}

function u16(n: number): Uint8Array {
  return Uint8Array.of(n >> 8, n & 0xff)
}

function number16(octets: Uint8Array): number {
  return (octets[0]! << 8) | octets[1]!
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
}

function octetsOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function isUtf8(octets: Uint8Array): boolean {
  return !Buffer.from(octets).toString('utf8').includes('\ufffd')
}
