import { parseIpv4, parseIpv6, printAddress } from '../address.ts'
import { charactersOf } from '../characters.ts'
import { DnsError, TextError, WireError } from '../errors.ts'
import { show } from '../text.ts'
import { base64Of, toBase64 } from './binary.ts'
import { decimal } from './integers.ts'

/** How a service parameter's value is written: text octets, escapes of the quotes gone, to wire octets and back. */
export type KeyFormat = {
  parse(text: Uint8Array, key: string): Uint8Array
  print(octets: Uint8Array): Uint8Array
}

const COMMA = 0x2c
const BACKSLASH = 0x5c

const opaque: KeyFormat = { parse: (text) => text, print: (octets) => octets }

const empty: KeyFormat = {
  parse(text, key) {
    if (text.length > 0) throw new TextError(`${key} must have no value, not ${show(latin1(text))}`)
    return text
  },
  print(octets) {
    if (octets.length > 0) throw new WireError('a parameter without a value has one')
    return octets
  },
}

/** A list of items of one size, none empty. */
function list(
  octets: number,
  parse: (item: string, key: string) => Uint8Array,
  print: (item: Uint8Array) => string,
): KeyFormat {
  return {
    parse: (text, key) => Buffer.concat(itemsOf(text, key).map((item) => parse(latin1(item), key))),
    print(wire) {
      if (wire.length === 0 || wire.length % octets !== 0) throw new WireError('a list in a parameter is cut short')
      const items = Array.from({ length: wire.length / octets }, (_, i) =>
        print(wire.subarray(i * octets, (i + 1) * octets)),
      )
      return Buffer.from(items.join(','), 'latin1')
    },
  }
}

const keyList = list(
  2,
  (name) => u16(keyCode(name)),
  (item) => keyName((item[0]! << 8) | item[1]!),
)
const mandatory: KeyFormat = {
  parse(text, key) {
    const codes = itemsOf(text, key).map((item) => keyCode(latin1(item)))
    if (codes.includes(0)) throw new TextError('mandatory must not list itself')
    if (new Set(codes).size < codes.length) throw new TextError('mandatory must list each key once')
    return Buffer.concat(codes.sort((a, b) => a - b).map(u16))
  },
  print(octets) {
    const text = keyList.print(octets)
    for (let at = 0, last = 0; at < octets.length; at += 2) {
      const code = (octets[at]! << 8) | octets[at + 1]!
      if (code <= last) throw new WireError('mandatory keys are out of order')
      last = code
    }
    return text
  },
}

const alpn: KeyFormat = {
  parse: (text, key) =>
    Buffer.concat(
      itemsOf(text, key).flatMap((item) => {
        if (item.length > 255) throw new TextError(`${key} must have 1..255 octets in each item, not ${item.length}`)
        return [Uint8Array.of(item.length), item]
      }),
    ),
  print(octets) {
    if (octets.length === 0) throw new WireError('alpn is empty')
    const text: number[] = []
    for (let at = 0; at < octets.length; ) {
      const end = at + 1 + octets[at]!
      if (end === at + 1 || end > octets.length) throw new WireError('an alpn item is empty or cut short')
      if (at > 0) text.push(COMMA)
      for (at++; at < end; at++) {
        if (octets[at] === COMMA || octets[at] === BACKSLASH) text.push(BACKSLASH)
        text.push(octets[at]!)
      }
    }
    return Uint8Array.from(text)
  },
}

const port: KeyFormat = {
  parse: (text, key) => u16(numberOf(latin1(text), key)),
  print(octets) {
    if (octets.length !== 2) throw new WireError(`port has 2 octets, not ${octets.length}`)
    return Buffer.from(String((octets[0]! << 8) | octets[1]!))
  },
}

const ech: KeyFormat = {
  parse(text, key) {
    if (text.length === 0) throw new TextError(`${key} must have a value`)
    return base64Of(latin1(text), key)
  },
  print(octets) {
    if (octets.length === 0) throw new WireError('ech is empty')
    return Buffer.from(toBase64(octets))
  },
}

const dohpath: KeyFormat = {
  parse(text, key) {
    const path = latin1(text)
    if (/^\/[^ ]*$/.test(path) && isUtf8(text) && variablesOf(path).includes('dns')) return text
    throw new TextError(`${key} must be as in /dns-query{?dns}, not ${show(charactersOf(text))}`)
  },
  print: (octets) => octets,
}

// RFC 6570 2: names between braces, after an operator and with commas between.
function variablesOf(template: string): string[] {
  const expressions = [...template.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)]
  return expressions.flatMap(([, names]) => names!.split(',').map((name) => name.replace(/[*:].*$/, '')))
}

const groups = list(
  2,
  (item, key) => u16(numberOf(item, key)),
  (item) => String((item[0]! << 8) | item[1]!),
)

const ipv4hint = list(4, (item, key) => addressOf(parseIpv4, item, key), printAddress)
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
export const keyNames: readonly string[] = keys.map(([name]) => name)

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
function itemsOf(text: Uint8Array, key: string): Uint8Array[] {
  const items: Uint8Array[] = []
  let item: number[] = []
  const take = () => {
    if (item.length === 0) throw new TextError(`${key} must be a list with commas between and no empty item`)
    items.push(Uint8Array.from(item))
    item = []
  }
  for (let at = 0; at < text.length; at++) {
    let octet = text[at]!
    if (octet === COMMA) {
      take()
      continue
    }
    if (octet === BACKSLASH) {
      octet = text[++at] ?? 0
      if (octet !== COMMA && octet !== BACKSLASH) throw new TextError(`\\ in ${key} must stand before , or another \\`)
    }
    item.push(octet)
  }
  take()
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

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets).toString('latin1')
}

function isUtf8(octets: Uint8Array): boolean {
  return Buffer.from(octets).toString('utf8').includes('\ufffd') === false
}
