import { TextError } from './errors.ts'

/** A piece of record text as it was written, escapes kept; a quoted string keeps its quotes, so it starts with `"`. */
export type Token = string

const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const OPEN = 0x28
const CLOSE = 0x29
const EQUALS = 0x3d
const BACKSLASH = 0x5c

/**
 * Takes record text apart, token by token.
 *
 * A string is one record's data as a person gives it: `;` is an ordinary character there, since nothing can be commented.
 * A list is what a zone file's lexer found, comments and parentheses gone.
 */
export class Tokens {
  readonly origin: string | undefined
  readonly #text: string
  readonly #list: readonly Token[] | undefined
  #at: number
  #depth = 0

  /** `from` is where in a list the record's data begins. */
  constructor(source: string | readonly Token[], origin?: string, from = 0) {
    this.origin = origin
    this.#at = from
    this.#text = typeof source === 'string' ? source : ''
    this.#list = typeof source === 'string' ? undefined : source
  }

  /** The next token, which must not be quoted. */
  next(label: string): string {
    const token = this.nextQuoted(label)
    if (token.charCodeAt(0) === QUOTE) throw new TextError(`${label} must not be in quotes, as ${show(token)} is`)
    return token
  }

  /** The next token, quoted or not. */
  nextQuoted(label: string): Token {
    if (this.#list !== undefined) {
      const token = this.#list[this.#at]
      if (token === undefined) throw new TextError(`${label} is missing`)
      this.#at++
      return token
    }
    this.#skipBlanks()
    const start = this.#at
    if (start === this.#text.length) throw new TextError(`${label} is missing`)
    this.#at = tokenEnd(this.#text, start)
    return this.#text.slice(start, this.#at)
  }

  /** All tokens that are left. */
  rest(): Token[] {
    const tokens: Token[] = []
    while (!this.atEnd) tokens.push(this.nextQuoted('token'))
    return tokens
  }

  /** All that is left of one record's data, blanks and all, when it is not quoted; undefined otherwise. */
  unquotedRest(): string | undefined {
    if (this.#list !== undefined || this.#depth > 0) return undefined
    const rest = this.#text.slice(this.#at)
    if (/^[ \t\r\n]*(?:\([ \t\r\n]*)?"/.test(rest)) return undefined
    this.#at = this.#text.length
    return rest
  }

  /** Whether the generic form of RFC 3597 comes next. */
  get isGeneric(): boolean {
    if (this.#list !== undefined) return this.#list[this.#at] === '\\#'
    return this.#at === 0 && this.#text.includes('\\#') && /^[ \t\r\n(]*\\#(?:[ \t\r\n()]|$)/.test(this.#text)
  }

  /** Whether this is one record's data as a person typed it, not part of a zone file. */
  get typed(): boolean {
    return this.#list === undefined
  }

  /** Where in a list the token after the last one taken is, to tell where a fault is. */
  get taken(): number {
    return this.#at
  }

  get atEnd(): boolean {
    if (this.#list !== undefined) return this.#at >= this.#list.length
    this.#skipBlanks()
    return this.#at === this.#text.length
  }

  /** Asks that nothing is left. */
  end(): void {
    if (!this.atEnd) throw new TextError(`nothing may follow the last field, as ${show(this.nextQuoted('end'))} does`)
  }

  #skipBlanks(): void {
    const text = this.#text
    for (; this.#at < text.length; this.#at++) {
      const code = text.charCodeAt(this.#at)
      if (code === OPEN) this.#depth++
      else if (code === CLOSE) {
        if (--this.#depth < 0) throw new TextError('a ) has no ( before it')
      } else if (!isBlank(code)) return
    }
    if (this.#depth > 0) throw new TextError('a ( has no ) after it')
  }
}

// Blanks and parentheses end a token, quotes hold it together.
function tokenEnd(text: string, start: number): number {
  if (text.charCodeAt(start) === QUOTE) return quotedEnd(text, start)
  let at = start
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > BACKSLASH) continue
    if (code === BACKSLASH) at++
    else if (isBlank(code) || code === OPEN || code === CLOSE) break
    // RFC 9460 2.1: the value of key="value" is quoted by itself.
    else if (code === EQUALS && text.charCodeAt(at + 1) === QUOTE) at = quotedEnd(text, at + 1) - 1
  }
  return Math.min(at, text.length)
}

/** Where the quoted string that starts at `start` ends, its closing quote included. */
export function quotedEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at++
    else if (code === NEWLINE) throw new TextError('a line break inside quotes must be written \\010')
  }
  throw new TextError(`a closing quote is missing after ${show(text.slice(start))}`)
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB || code === NEWLINE || code === RETURN
}

/** What was given, cut to a length that a message can hold. */
export function show(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`
}
