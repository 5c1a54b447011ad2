import { nameToWire } from '../dns/name.ts'

/** A name with every octet but letters, digits, `-` and `_` as `\DDD`: such a text means the same in any configuration. */
export function plainName(name: string): string {
  const octets = nameToWire(name)
  if (octets.length === 1) return '.'
  let text = ''
  for (let at = 0; octets[at] !== 0; ) {
    for (const end = at + octets[at++]!; at <= end; at++) text += octetText(octets[at]!)
    text += '.'
  }
  return text
}

function octetText(octet: number): string {
  const character = String.fromCharCode(octet)
  return /[A-Za-z0-9_-]/.test(character) ? character : `\\${String(octet).padStart(3, '0')}`
}
