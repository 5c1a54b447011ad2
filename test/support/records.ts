import fc from 'fast-check'
import { charactersOf } from '../../src/dns/characters.ts'
import type { RecordType } from '../../src/dns/define.ts'
import { toBase64, toHex } from '../../src/dns/fields/binary.ts'
import type { Shape } from '../../src/dns/fields/field.ts'
import { wireToName } from '../../src/dns/name.ts'
import { encodeRdata, rdataFromText, rdataToText } from '../../src/dns/rdata.ts'
import { typeName, types } from '../../src/dns/types/index.ts'

/** Any value of a type, made from the shapes of its fields. */
export function anyValue(type: RecordType): fc.Arbitrary<Record<string, unknown>> {
  const parts = Object.fromEntries(type.columns.map(({ key, field }) => [key, anyOf(field.shape)]))
  if (!('gatewayType' in parts)) return fc.record(parts).map(plain)
  const whole = gateways.map((gateway, gatewayType) =>
    fc.record({ ...parts, gatewayType: fc.constant(gatewayType), gateway }),
  )
  return fc.oneof(...whole).map(plain)
}

// fast-check's objects have no prototype, which deepEqual tells apart; values are plain JSON.
function plain(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value))
}

/** Any octets of a type's records. */
export function anyRdata(type: RecordType): fc.Arbitrary<Uint8Array> {
  return anyValue(type).map((value) => encodeRdata(type, value))
}

/** The data of any record that a zone can hold, with the number of its type; also of types that have no fields known. */
export function anyRecordData(): fc.Arbitrary<{ readonly type: number; readonly rdata: Uint8Array }> {
  const known = types
    .filter((type) => !type.meta)
    .map((type) => anyRdata(type).map((rdata) => ({ type: type.code, rdata })))
  const unknown = fc.record({ type: fc.integer({ min: 65280, max: 65534 }), rdata: octets(0, 40) })
  return fc.oneof(...known, unknown)
}

/** Any domain name. */
export const anyName: fc.Arbitrary<string> = fc
  .array(fc.oneof(octets(1, 8), fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/).map(Buffer.from), octets(1, 63)), {
    maxLength: 6,
  })
  .map((labels) => Uint8Array.from([...labels.flatMap((label) => [label.length, ...label]), 0]))
  .filter((wire) => wire.length <= 255)
  .map((wire) => wireToName(wire))

const ipv4 = octets(4, 4).map((address) => address.join('.'))
const ipv6 = fc.ipV6().map((text) => text.toLowerCase())
const gateways = [fc.constant('.'), ipv4, printed(28, ipv6), anyName]

function octets(min: number, max: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: min, maxLength: max })
}

/** Values of a text that have more than one form, in the form the type of this number prints. */
function printed(code: number, texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return texts.map((text) => rdataToText(code, rdataFromText(code, text)))
}

function anyOf(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'integer':
      return fc.oneof(fc.nat({ max: Math.min(shape.max, 0x7fffffff) }), fc.constant(shape.max), fc.constant(0))
    case 'big integer':
      return fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }).map(String)
    case 'seconds':
    case 'time':
      return fc.oneof(fc.nat(), fc.integer({ min: 0x7fffffff, max: 0xffffffff }))
    case 'type':
      return anyType
    case 'types':
      return fc
        .uniqueArray(fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 65535 })), { minLength: 1, maxLength: 20 })
        .map((codes) => codes.sort((a, b) => a - b).map(typeName))
    case 'ipv4':
      return ipv4
    case 'ipv6':
      return printed(28, ipv6)
    case 'name':
      return anyName
    case 'names':
      return fc.array(anyName, { maxLength: 4 })
    case 'text':
      return octets(0, Math.min(shape.max, 255)).map(charactersOf)
    case 'word':
      return fc.stringMatching(/^[0-9A-Za-z]{1,20}$/)
    case 'texts':
      return fc.array(octets(0, 255).map(charactersOf), { minLength: 1, maxLength: 4 })
    case 'optional text':
      return fc.option(octets(0, 255).map(charactersOf))
    case 'hex':
      return octets(shape.min, Math.min(shape.max, 80)).map(toHex)
    case 'base64':
      return octets(shape.min, Math.min(shape.max, 80)).map(toBase64)
    case 'base32':
      return octets(shape.min, Math.min(shape.max, 80)).map(toBase32)
    case 'groups': {
      const { octets: length, group, separator } = shape
      return octets(length, length).map((bytes) =>
        toHex(bytes)
          .toLowerCase()
          .match(new RegExp(`.{${2 * group}}`, 'g'))!
          .join(separator),
      )
    }
    case 'location':
      return fc.record({
        latitude: fc.integer({ min: -324_000_000, max: 324_000_000 }),
        longitude: fc.integer({ min: -648_000_000, max: 648_000_000 }),
        altitude: fc.integer({ min: -10_000_000, max: 4_284_967_295 }),
        size: precision,
        horizontalPrecision: precision,
        verticalPrecision: precision,
      })
    case 'prefixes':
      return fc.array(
        fc.oneof(
          fc.record({ negated: fc.boolean(), family: fc.constant(1), prefix: fc.nat({ max: 32 }), address: range(4) }),
          fc.record({
            negated: fc.boolean(),
            family: fc.constant(2),
            prefix: fc.nat({ max: 128 }),
            address: range(16),
          }),
        ),
        { maxLength: 5 },
      )
    case 'gateway':
      return fc.constant('.')
    case 'relay':
      return fc.oneof(
        ...gateways.map((relay, type) =>
          fc.record({ discoveryOptional: fc.boolean(), type: fc.constant(type), relay }),
        ),
      )
    case 'host identity':
      return fc.record({
        algorithm: fc.nat({ max: 255 }),
        tag: octets(1, 255).map(toHex),
        publicKey: octets(1, 100).map(toBase64),
      })
    case 'parameters':
      return anyParameters
    case 'options':
      return fc.array(fc.record({ code: fc.nat({ max: 65535 }), data: octets(0, 20).map(toHex) }), { maxLength: 5 })
  }
}

const anyType = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 65535 })).map(typeName)
const precision = fc
  .record({ digit: fc.integer({ min: 1, max: 9 }), exponent: fc.nat({ max: 9 }) })
  .map(({ digit, exponent }) => digit * 10 ** exponent)

function range(most: number): fc.Arbitrary<string> {
  return octets(0, most).map((bytes) => {
    const last = bytes.findLastIndex((octet) => octet !== 0)
    return toHex(bytes.subarray(0, last + 1))
  })
}

function toBase32(bytes: Uint8Array): string {
  let bits = ''
  for (const octet of bytes) bits += octet.toString(2).padStart(8, '0')
  const groups = bits.padEnd(Math.ceil(bits.length / 5) * 5, '0').match(/.{5}/g) ?? []
  return groups.map((five) => Number.parseInt(five, 2).toString(32).toUpperCase()).join('')
}

const lists = (item: fc.Arbitrary<string>) => fc.array(item, { minLength: 1, maxLength: 3 }).map((all) => all.join(','))
const item = octets(1, 12).map((bytes) =>
  charactersOf(Buffer.from(Buffer.from(bytes).toString('latin1').replace(/[\\,]/g, '\\$&'), 'latin1')),
)
const values: readonly (readonly [key: string, value: fc.Arbitrary<string | null>])[] = [
  ['alpn', lists(item)],
  ['no-default-alpn', fc.constant(null)],
  ['port', fc.nat({ max: 65535 }).map(String)],
  ['ipv4hint', lists(ipv4)],
  ['ech', octets(1, 40).map(toBase64)],
  ['ipv6hint', lists(printed(28, ipv6))],
  ['dohpath', fc.constant('/dns-query{?dns}')],
  ['ohttp', fc.constant(null)],
  ['tls-supported-groups', lists(fc.nat({ max: 65535 }).map(String))],
  ['key4000', octets(0, 30).map((bytes) => (bytes.length === 0 ? null : charactersOf(bytes)))],
  ['key65534', octets(1, 300).map(charactersOf)],
]
const anyParameters = fc
  .subarray([...values])
  .chain((chosen) => fc.tuple(...chosen.map(([key, value]) => fc.record({ key: fc.constant(key), value }))))
