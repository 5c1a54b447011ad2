import { TextError, WireError } from '../errors.ts'
import { show } from '../text.ts'
import { base64Of, hexOf, toBase64, toHex } from './binary.ts'
import type { Field } from './field.ts'
import { u8 } from './integers.ts'

/** A host's identity: its tag in hexadecimal and its key in base64. */
export type HostIdentity = { readonly algorithm: number; readonly tag: string; readonly publicKey: string }

/** Algorithm, host identity tag and public key (RFC 8005 5); on the wire both lengths stand first. */
export const hostIdentity: Field<HostIdentity> = {
  shape: { kind: 'host identity' },
  parse(tokens, _label, before) {
    const algorithm = u8.parse(tokens, 'algorithm', before)
    const tag = hexOf(tokens.next('host identity tag'), 'host identity tag')
    if (tag.length > 255) throw new TextError(`host identity tag must have 1..255 octets, not ${tag.length}`)
    const given = tokens.next('public key')
    const key = base64Of(given, 'public key')
    if (key.length > 65535) throw new TextError(`public key must have 1..65535 octets, not ${show(given)}`)
    return { algorithm, tag: toHex(tag), publicKey: toBase64(key) }
  },
  print: ({ algorithm, tag, publicKey }) => `${algorithm} ${tag} ${publicKey}`,
  read(reader) {
    const [tagLength, algorithm, keyLength] = [reader.u8(), reader.u8(), reader.u16()]
    if (tagLength === 0 || keyLength === 0) throw new WireError('a host identity tag and key must not be empty')
    return { algorithm, tag: toHex(reader.bytes(tagLength)), publicKey: toBase64(reader.bytes(keyLength)) }
  },
  write(writer, { algorithm, tag, publicKey }) {
    const [tagOctets, keyOctets] = [hexOf(tag, 'tag'), base64Of(publicKey, 'public key')]
    writer.u8(tagOctets.length)
    writer.u8(algorithm)
    writer.u16(keyOctets.length)
    writer.bytes(tagOctets)
    writer.bytes(keyOctets)
  },
}
