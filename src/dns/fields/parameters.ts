import { charactersOf, isPlain, octetsOf } from '../characters.ts'
import { TextError, WireError } from '../errors.ts'
import { quotedEnd, show, type Token } from '../text.ts'
import type { Field } from './field.ts'
import { keyCode, keyFormat, keyName } from './parameter-keys.ts'
import { unquote } from './strings.ts'

/** A service parameter (RFC 9460 2.1): its value as the text between quotes, null when it has none. */
export type Parameter = { readonly key: string; readonly value: string | null }

/** Service parameters in the order of their keys: `alpn=h2,h3 port=8443`. */
export const parameters: Field<readonly Parameter[]> = {
  shape: { kind: 'parameters' },
  parse(tokens) {
    const found = new Map<number, Parameter>()
    while (!tokens.atEnd) {
      const [code, parameter] = parseParameter(tokens.next('parameter'))
      if (found.has(code)) throw new TextError(`${parameter.key} must be given once`)
      found.set(code, parameter)
    }
    return [...found].sort(([a], [b]) => a - b).map(([, parameter]) => parameter)
  },
  print: (list) => list.map(printParameter).join(' '),
  read(reader) {
    const list: Parameter[] = []
    for (let last = -1; reader.remaining > 0; ) {
      const code = reader.u16()
      if (code <= last) throw new WireError(`service parameter ${code} does not follow ${last}`)
      last = code
      list.push(parameterOf(code, reader.bytes(reader.u16())))
    }
    return list
  },
  write(writer, list) {
    for (const { key, value } of list) {
      const code = keyCode(key)
      const octets = keyFormat(code).parse(plain(value ?? '', key), key)
      writer.u16(code)
      writer.u16(octets.length)
      writer.bytes(octets)
    }
  },
}

/** What is wrong with a service whose parameters are each right. */
export function serviceFault(service: {
  readonly priority: number
  readonly parameters: readonly Parameter[]
}): string | undefined {
  const { priority, parameters } = service
  // RFC 9460 2.4.2: an alias has no parameters; dnspython and so Designate's server refuse them.
  if (priority === 0 && parameters.length > 0) return 'parameters must not be given with priority 0 (an alias)'
  const has = (key: string) => parameters.some((parameter) => parameter.key === key)
  if (has('no-default-alpn') && !has('alpn')) return 'no-default-alpn must come with alpn'
  const mandatory = parameters.find(({ key }) => key === 'mandatory')?.value?.split(',') ?? []
  const missing = mandatory.find((key) => !has(key))
  return missing === undefined ? undefined : `${missing} must be given, being in mandatory`
}

function parseParameter(token: Token): [number, Parameter] {
  const equals = token.indexOf('=')
  const name = equals < 0 ? token : token.slice(0, equals)
  const code = keyCode(name)
  const given = equals < 0 ? '' : token.slice(equals + 1)
  if (given.startsWith('"') && quotedEnd(given, 0) < given.length) {
    throw new TextError(`nothing may follow the quotes in ${show(token)}`)
  }
  const text = plain(unquote(given), name)
  // RFC 9460 2.1: keyNNNNN takes the octets themselves, for keys that have a name too.
  if (!/^key\d+$/.test(name)) return [code, parameterOf(code, keyFormat(code).parse(text, name))]
  try {
    return [code, parameterOf(code, Buffer.from(text, 'latin1'))]
  } catch (error) {
    if (error instanceof WireError) throw new TextError(`${name}: ${error.message}`)
    throw error
  }
}

function parameterOf(code: number, octets: Uint8Array): Parameter {
  const shown = keyFormat(code).print(octets)
  return { key: keyName(code), value: shown === '' ? null : fromPlain(shown) }
}

// Between the two: text without escapes whose characters are octets.
function plain(text: string, key: string): string {
  return isPlain(text) ? text : Buffer.from(octetsOf(text, key)).toString('latin1')
}

function fromPlain(text: string): string {
  return isPlain(text) ? text : charactersOf(Buffer.from(text, 'latin1'))
}

function printParameter({ key, value }: Parameter): string {
  if (value === null) return key
  return /[ ;()"]/.test(value) ? `${key}="${value}"` : `${key}=${value}`
}
