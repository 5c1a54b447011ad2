import { TextError } from '../errors.ts'
import { nameToAscii } from '../idna.ts'
import { nameToWire, parseName } from '../name.ts'
import type { Tokens } from '../text.ts'
import type { Field } from './field.ts'

/** A domain name; without a final dot it is taken from the origin, and refused where there is none. */
export const domainName: Field<string> = {
  shape: { kind: 'name' },
  parse: (tokens, label) => nameFrom(tokens, tokens.next(label), label),
  print: (name) => name,
  read: (reader) => reader.plainName(),
  write: (writer, name) => writer.plainName(name),
  scan: (tokens, label) => nameToWire(nameFrom(tokens, tokens.next(label), label)),
  names: (name) => [name],
}

/** Any number of domain names, to the end of the record. */
export const domainNames: Field<readonly string[]> = {
  shape: { kind: 'names' },
  parse(tokens, label) {
    const names: string[] = []
    while (!tokens.atEnd) names.push(domainName.parse(tokens, label, {}))
    return names
  },
  print: (names) => names.join(' '),
  read(reader) {
    const names: string[] = []
    while (reader.remaining > 0) names.push(reader.plainName())
    return names
  },
  write(writer, names) {
    for (const name of names) writer.plainName(name)
  },
  names: (names) => names,
}

/** A name written in record text; letters beyond ASCII become A-labels. */
function nameFrom(tokens: Tokens, text: string, label: string): string {
  try {
    return parseName(/[^\0-\x7f]/.test(text) ? nameToAscii(text) : text, tokens.origin)
  } catch (error) {
    if (error instanceof TextError)
      throw new TextError(error.message.replace(/^(?:name )?/, (name) => (name ? `${label} ` : `${label}: `)))
    throw error
  }
}
