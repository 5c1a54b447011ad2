import { TextError } from '../errors.ts'
import { show } from '../text.ts'
import type { Field } from './field.ts'

/** Six octets as in 00-00-5e-00-53-2a. */
export const eui48 = groups(6, 1, '-', '00-00-5e-00-53-2a')

/** Eight octets as in 00-00-5e-ef-10-00-00-2a. */
export const eui64 = groups(8, 1, '-', '00-00-5e-ef-10-00-00-2a')

/** 64 bits as in 0014:4fff:ff20:ee64 (RFC 6742). */
export const locator64 = groups(8, 2, ':', '0014:4fff:ff20:ee64')

function groups(octets: number, group: number, separator: string, example: string): Field<string> {
  const digits = group === 1 ? '[0-9a-f]{2}' : '[0-9a-f]{1,4}'
  const pattern = new RegExp(`^${digits}(?:${separator}${digits}){${octets / group - 1}}$`, 'i')
  return {
    shape: { kind: 'groups', octets, separator, group },
    parse(tokens, label) {
      const text = tokens.next(label)
      if (!pattern.test(text)) throw new TextError(`${label} must be as in ${example}, not ${show(text)}`)
      const parts = text.toLowerCase().split(separator)
      return parts.map((part) => part.padStart(2 * group, '0')).join(separator)
    },
    print: (value) => value,
    read(reader) {
      const hex = Buffer.from(reader.bytes(octets)).toString('hex')
      return hex.replace(new RegExp(`.{${2 * group}}(?=.)`, 'g'), `$&${separator}`)
    },
    write: (writer, value) => writer.bytes(Buffer.from(value.replaceAll(separator, ''), 'hex')),
  }
}
