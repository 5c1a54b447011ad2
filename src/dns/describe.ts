import type { RecordType } from './define.ts'
import type { Shape } from './fields/field.ts'

/** A record type as plain data, for documents, forms and the command line. */
export type TypeDescription = {
  readonly type: string
  readonly code: number
  readonly rfc: number | string
  readonly meta: boolean
  readonly fields: readonly {
    readonly key: string
    readonly label: string
    readonly form: string
    readonly shape: Shape
  }[]
  readonly examples: readonly string[]
}

/** Describes a record type. */
export function describeType({ type, code, rfc, meta, columns, examples }: RecordType): TypeDescription {
  const fields = columns.map(({ key, label, field: { shape } }) => ({ key, label, form: formOf(shape), shape }))
  return { type, code, rfc, meta: meta === true, fields, examples }
}

function formOf(shape: Shape): string {
  switch (shape.kind) {
    case 'integer': {
      const names = Object.keys(shape.names ?? {})
      return `0..${shape.max}${names.length > 0 ? `, or ${names.join(' ')}` : ''}`
    }
    case 'big integer':
      return '0..18446744073709551615'
    case 'seconds':
      return 'seconds, or with units as in 1w2d3h4m5s'
    case 'time':
      return 'YYYYMMDDHHmmSS in UTC, or seconds since 1970'
    case 'type':
      return 'a record type'
    case 'types':
      return 'record types'
    case 'ipv4':
      return 'an IPv4 address'
    case 'ipv6':
      return 'an IPv6 address'
    case 'name':
      return 'a domain name'
    case 'names':
      return 'any number of domain names'
    case 'text':
      return shape.max > 255 ? 'text in quotes' : `text in quotes, at most ${shape.max} octets`
    case 'word':
      return `1..${shape.max} letters and digits`
    case 'texts':
      return 'one or more texts in quotes, each at most 255 octets'
    case 'optional text':
      return 'text in quotes, or nothing'
    case 'hex':
      return `hexadecimal digits${shape.min === 0 ? ', or -' : ''}`
    case 'base64':
      return `base64${shape.min === 0 ? ', or nothing' : ''}`
    case 'base32':
      return 'base32 with the digits 0..9 A..V'
    case 'groups':
      return `${shape.octets} octets in hexadecimal with ${shape.separator} between`
    case 'location':
      return 'latitude, longitude, altitude, size, horizontal and vertical precision'
    case 'prefixes':
      return 'address ranges as in 1:192.0.2.0/24 or !2:2001:db8::/32'
    case 'gateway':
      return 'by its type: . (0), an IPv4 address (1), an IPv6 address (2) or a domain name (3)'
    case 'relay':
      return '0..1 (discovery optional), then a type 0..3, then by it . or an IPv4 address, an IPv6 address or a domain name'
    case 'host identity':
      return 'an algorithm 0..255, a tag in hexadecimal and a public key in base64'
    case 'parameters':
      return 'service parameters as in alpn=h2,h3 port=8443'
    case 'options':
      return 'EDNS options as in 3:6E7331'
  }
}
