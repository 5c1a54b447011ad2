import { TextError } from '../errors.ts'
import { show } from '../text.ts'
import { hexOf, toHex } from './binary.ts'
import type { Field } from './field.ts'
import { decimal } from './integers.ts'

/** An EDNS option as it travels (RFC 6891 6.1.2), its data in hexadecimal. */
export type RawOption = { readonly code: number; readonly data: string }

/** EDNS options, written as in `3:6E7331 15:0012`. */
export const options: Field<readonly RawOption[]> = {
  shape: { kind: 'options' },
  parse: (tokens, label) =>
    tokens.rest().map((token) => {
      const [code, data] = token.split(':')
      const number = decimal(code!, 65535)
      if (number < 0 || data === undefined) throw new TextError(`${label} must be as in 3:6E7331, not ${show(token)}`)
      return { code: number, data: toHex(hexOf(data, label)) }
    }),
  print: (list) => list.map(({ code, data }) => `${code}:${data}`).join(' '),
  read(reader) {
    const list: RawOption[] = []
    while (reader.remaining > 0) list.push({ code: reader.u16(), data: toHex(reader.bytes(reader.u16())) })
    return list
  },
  write(writer, list) {
    for (const { code, data } of list) {
      writer.u16(code)
      writer.u16(data.length / 2)
      writer.bytes(Buffer.from(data, 'hex'))
    }
  },
}
