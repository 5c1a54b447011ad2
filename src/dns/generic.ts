import { TextError } from './errors.ts'
import { hexOf, toHex } from './fields/binary.ts'
import { decimal } from './fields/integers.ts'
import { show, type Tokens } from './text.ts'

/** The octets of `\# length hex` (RFC 3597 5). */
export function genericFrom(tokens: Tokens): Uint8Array {
  tokens.next('\\#')
  const given = tokens.next('length')
  const length = decimal(given, 65535)
  if (length < 0) throw new TextError(`length must be 0..65535, not ${show(given)}`)
  let text = ''
  while (!tokens.atEnd) text += tokens.next('data')
  const octets = hexOf(text, 'data')
  if (octets.length !== length) throw new TextError(`data must have ${length} octets as said, not ${octets.length}`)
  return new Uint8Array(octets)
}

/** Any octets as `\# length hex`. */
export function genericText(rdata: Uint8Array): string {
  return rdata.length === 0 ? '\\# 0' : `\\# ${rdata.length} ${toHex(rdata)}`
}
