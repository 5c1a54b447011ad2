export const TAB = 9
export const LF = 10
export const CR = 13
export const SPACE = 32
export const QUOTE = 34
export const OPEN = 40
export const CLOSE = 41
export const SEMICOLON = 59
export const EQUALS = 61
export const BACKSLASH = 92

// What an octet does: it goes on, goes on but has to be rewritten, or is looked at more closely.
export const PLAIN = 0
export const ROUGH = 1
const ENDS = 2

/** What each octet does inside a word. */
export const inWord = new Uint8Array(256).fill(ROUGH)
for (let octet = 0x21; octet <= 0x7e; octet++) inWord[octet] = PLAIN
for (const octet of [TAB, LF, CR, SPACE, QUOTE, OPEN, CLOSE, SEMICOLON, BACKSLASH]) inWord[octet] = ENDS

/** What each octet does inside a quoted string. */
export const inQuotes = inWord.slice()
for (const octet of [SPACE, OPEN, CLOSE, SEMICOLON]) inQuotes[octet] = PLAIN
for (const octet of [TAB, CR]) inQuotes[octet] = ROUGH

const ESCAPE_OR_UNPRINTABLE = /\\[0-9]{3}|\\?[^\x21-\x7e]|\\./g

/** The same octets with all that is not printable ASCII as \DDD; a space inside quotes stays, an escaped one does not. */
export function printable(text: string): string {
  return text.replace(ESCAPE_OR_UNPRINTABLE, (part) => {
    const code = part.charCodeAt(part.length - 1)
    if (part === ' ' || (code > 0x20 && code < 0x7f)) return part
    return `\\${code < 100 ? (code < 10 ? '00' : '0') : ''}${code}`
  })
}
