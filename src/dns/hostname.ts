import { nameToAscii } from './idna.ts'

const label = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/

/** What keeps text from being a full host or zone name of plain labels, or undefined when nothing does. */
export function hostnameFault(text: string): string | undefined {
  if (!text.endsWith('.')) return `must be a full name that ends with a dot, such as '${fullName(text)}'`
  if (text === '.') return "must be a name such as 'ns1.example.org.', not the root"
  if (text.length > 254) return `must be at most 254 characters with its final dot, not ${text.length}`
  return labelsFault(text.slice(0, -1))
}

/** What keeps text from being dot-separated plain labels without a final dot, or undefined when nothing does. */
export function labelsFault(text: string): string | undefined {
  for (const part of text.split('.')) {
    if (part === '') return 'must not have an empty label (two dots in a row, or a dot at the start)'
    if (part.length > 63) return `must have labels of at most 63 characters; one has ${part.length}`
    if (/[^\0-\x7f]/.test(part)) return `must be in ASCII, other letters as A-labels${inAscii(part)}; '${part}' is not`
    if (!label.test(part)) {
      return `must have labels of letters, digits, '_' and '-' that neither begin nor end with '-'; '${part}' is not one`
    }
  }
  return undefined
}

/** How to write a label that has letters beyond ASCII, where there is a way. */
function inAscii(part: string): string {
  try {
    return ` such as '${nameToAscii(part)}'`
  } catch {
    return ''
  }
}

/** What a name without its final dot was probably meant to be. */
function fullName(text: string): string {
  if (text === '') return 'ns1.example.org.'
  return text.includes('.') ? `${text}.` : `${text}.example.org.`
}
