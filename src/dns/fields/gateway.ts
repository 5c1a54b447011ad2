import { TextError, WireError } from '../errors.ts'
import { show, type Tokens } from '../text.ts'
import type { Reader, Writer } from '../wire.ts'
import { ipv4, ipv6 } from './addresses.ts'
import type { Before, Field } from './field.ts'
import { domainName } from './names.ts'

const none: Field<string> = {
  shape: { kind: 'gateway' },
  parse(tokens, label) {
    const text = tokens.next(label)
    if (text !== '.') throw new TextError(`${label} of type 0 must be . alone, not ${show(text)}`)
    return text
  },
  print: (value) => value,
  read: () => '.',
  write: () => {},
}

// RFC 4025 2.3: nothing, an address of either kind, or a name.
const kinds = [none, ipv4, ipv6, domainName]

/** A gateway whose kind is told by the field `gatewayType` before it. */
export const gateway: Field<string> = {
  shape: { kind: 'gateway' },
  looksBack: true,
  parse: (tokens, label, before) => kindFor(typeBefore(before), textFault).parse(tokens, label, before),
  print: (value) => value,
  read: (reader, before) => kindFor(typeBefore(before), wireFault).read(reader, before),
  write: (writer, value, before) => kindFor(typeBefore(before), wireFault).write(writer, value, before),
}

/** A relay for multicast (RFC 8777 4): whether to look for another first, then its kind and itself. */
export type Relay = { readonly discoveryOptional: boolean; readonly type: number; readonly relay: string }

export const relay: Field<Relay> = {
  shape: { kind: 'relay' },
  parse(tokens) {
    const flag = numberFrom(tokens, 'discovery optional', 1)
    const type = numberFrom(tokens, 'type', 3)
    return { discoveryOptional: flag === 1, type, relay: kindFor(type, textFault).parse(tokens, 'relay', {}) }
  },
  print: ({ discoveryOptional, type, relay }) => `${discoveryOptional ? 1 : 0} ${type} ${relay}`,
  read(reader: Reader) {
    const octet = reader.u8()
    const type = octet & 0x7f
    return { discoveryOptional: octet > 127, type, relay: kindFor(type, wireFault).read(reader, {}) }
  },
  write(writer: Writer, { discoveryOptional, type, relay }) {
    writer.u8((discoveryOptional ? 0x80 : 0) | type)
    kindFor(type, wireFault).write(writer, relay, {})
  },
}

function typeBefore(before: Before): number {
  return Number(before.gatewayType)
}

function kindFor(type: number, fault: (message: string) => Error): Field<string> {
  const kind = kinds[type]
  if (kind === undefined) throw fault(`gateway type must be 0..3, not ${type}`)
  return kind
}

const textFault = (message: string) => new TextError(message)
const wireFault = (message: string) => new WireError(message)

function numberFrom(tokens: Tokens, label: string, max: number): number {
  const text = tokens.next(label)
  if (!/^\d$/.test(text) || Number(text) > max) throw new TextError(`${label} must be 0..${max}, not ${show(text)}`)
  return Number(text)
}
