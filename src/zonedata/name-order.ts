import { nameToWire } from '../dns/name.ts'

/**
 * A string that sorts names canonically (RFC 4034 6.1) and starts with the key of each of their ancestors:
 * the labels from the root down, lower-cased, each ended by NUL.
 */
export function orderKey(name: string): string {
  if (name === '.') return ''
  const lower = name.toLowerCase()
  if (lower.includes('\\')) return escapedOrderKey(nameToWire(lower))
  const labels = lower.split('.')
  labels.pop()
  labels.reverse().push('')
  return labels.join('\0')
}

// NUL ends a label and sorts before all else, so the octets 0 and 1 are written as two characters each.
function escapedOrderKey(wire: Uint8Array): string {
  const labels: string[] = []
  for (let at = 0; wire[at] !== 0; ) {
    let label = ''
    for (const end = at + wire[at++]!; at <= end; at++) {
      const octet = wire[at]!
      label += octet > 1 ? String.fromCharCode(octet) : `\x01${String.fromCharCode(octet + 1)}`
    }
    labels.push(label)
  }
  labels.reverse().push('')
  return labels.join('\0')
}
