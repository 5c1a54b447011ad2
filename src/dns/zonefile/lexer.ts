import {
  BACKSLASH,
  CLOSE,
  CR,
  EQUALS,
  inQuotes,
  inWord,
  LF,
  OPEN,
  PLAIN,
  printable,
  QUOTE,
  ROUGH,
  SEMICOLON,
  SPACE,
  TAB,
} from './octets.ts'

/** Where an entry went wrong, and what is right instead. */
export type LexicalFault = { readonly line: number; readonly column: number; readonly message: string }

/** Octets the words of one entry may have together: the largest rdata there is, written as \DDD, fits twice. */
export const MOST_ENTRY_OCTETS = 524_288

const BYTE_ORDER_MARK = '\xef\xbb\xbf'

const LINE = 0
const GAP = 1
const WORD = 2
const QUOTED = 3
const COMMENT = 4
const LINE_AFTER_FAULT = 5

/**
 * Cuts octets, given in pieces with any boundaries, into entries: the lines of a record or directive, parentheses joined.
 * One pass, no state beyond the entry being read. Text is latin1, so that a character is an octet.
 */
export class Lexer {
  /**
   * The entry last read, escapes and quotes kept and every octet that is not printable ASCII as `\DDD`.
   * The array is used again for the next entry.
   */
  readonly tokens: string[] = []
  /** Whether the entry began with white space and so has the owner of the one before. */
  blankOwner = false
  fault: LexicalFault | undefined
  /** The line being read, from 1. */
  line = 1

  // Where each token is.
  #lines = new Uint32Array(64)
  #columns = new Uint32Array(64)
  #text = ''
  #at = 0
  #final = false
  #state = LINE
  #start = 0
  #startLine = 1
  #startColumn = 1
  #rough = false
  #quotedValue = false
  #depth = 0
  #openLine = 0
  #openColumn = 0
  #size = 0
  // Octets before #text, and those before the line, to tell columns.
  #base = 0
  #lineStart = 0
  #continuations = 0

  /** The line of a token of the entry. */
  lineOf(token: number): number {
    return this.#lines[token] ?? this.line
  }

  /** The column of a token of the entry, in characters from 1. */
  columnOf(token: number): number {
    return this.#columns[token] ?? 1
  }

  /** Octets used up so far. */
  get offset(): number {
    return this.#base + this.#at
  }

  /** Whether all has been read. */
  get ended(): boolean {
    return this.#final && this.#at >= this.#text.length
  }

  /** Gives the next octets, as latin1 text. */
  push(text: string): void {
    const kept = this.#state !== WORD && this.#state !== QUOTED ? this.#at : this.fault ? this.#at : this.#start
    this.#text = kept < this.#text.length ? this.#text.slice(kept) + text : text
    this.#base += kept
    this.#at -= kept
    this.#start -= kept
  }

  /** Says that nothing follows. */
  finish(): void {
    this.#final = true
  }

  /** Reads one entry into `tokens` (or `fault`); false when more octets are needed or all has been read. */
  next(): boolean {
    if (this.#state === LINE) {
      this.#beginEntry()
      if (this.offset === 0 && !this.#skipByteOrderMark()) return false
    }
    while (this.#at < this.#text.length) {
      switch (this.#state) {
        case LINE: {
          const code = this.#text.charCodeAt(this.#at)
          this.blankOwner = code === SPACE || code === TAB
          this.#state = GAP
          break
        }
        case GAP:
          if (this.#gap()) return true
          break
        case WORD:
          if (!this.#word()) return false
          break
        case QUOTED:
          if (!this.#quoted()) return false
          break
        case COMMENT: {
          const end = this.#text.indexOf('\n', this.#at)
          this.#at = end < 0 ? this.#text.length : end
          if (end >= 0) this.#state = GAP
          break
        }
        case LINE_AFTER_FAULT:
          if (this.#endsFaulty(this.#text.charCodeAt(this.#at))) return true
          break
      }
    }
    return this.#final && this.#endOfFile()
  }

  /** False when it takes more octets to tell whether one is there. */
  #skipByteOrderMark(): boolean {
    if (this.#text.length < BYTE_ORDER_MARK.length && !this.#final) return !BYTE_ORDER_MARK.startsWith(this.#text)
    if (this.#text.startsWith(BYTE_ORDER_MARK)) this.#at = this.#lineStart = BYTE_ORDER_MARK.length
    return true
  }

  #beginEntry(): void {
    this.tokens.length = 0
    this.fault = undefined
    this.#depth = 0
    this.#size = 0
  }

  /** White space and what begins or ends something; true when an entry is whole. */
  #gap(): boolean {
    const text = this.#text
    const end = text.length
    let at = this.#at
    while (at < end) {
      const code = text.charCodeAt(at)
      if (code === SPACE || code === TAB || code === CR) {
        at++
        continue
      }
      if (code === LF) {
        this.#at = at + 1
        return this.#newLine()
      }
      this.#at = at
      if (code === SEMICOLON) {
        this.#state = COMMENT
      } else if (code === OPEN || code === CLOSE) {
        this.#parenthesis(code)
      } else {
        this.#begin(code === QUOTE ? QUOTED : WORD)
      }
      return false
    }
    this.#at = at
    return false
  }

  #begin(state: typeof WORD | typeof QUOTED): void {
    this.#state = state
    this.#start = this.#at
    this.#startLine = this.line
    this.#startColumn = this.#column(this.#at)
    this.#rough = false
    this.#quotedValue = false
    if (state === QUOTED) this.#at++
  }

  /** Goes on in a word; false when it may go on in the next piece. */
  #word(): boolean {
    const text = this.#text
    const end = text.length
    let at = this.#at
    for (; at < end; at++) {
      const code = text.charCodeAt(at)
      const kind = inWord[code]
      if (kind === PLAIN) continue
      if (kind === ROUGH) {
        this.#octetOutsideAscii(code)
      } else if (code === BACKSLASH) {
        const next = this.#escape(at)
        if (next <= 0) return next === 0
        at = next
      } else if (code === QUOTE && at > this.#start && text.charCodeAt(at - 1) === EQUALS) {
        // alpn="h2,h3" (RFC 9460 2.1) is one word; the quoted part is read as a string and put in its place.
        this.#quotedValue = true
        this.#state = QUOTED
        this.#at = at + 1
        return true
      } else {
        break
      }
    }
    this.#at = at
    if (at === end && this.#mayGoOn()) return false
    this.#state = GAP
    this.#token(at)
    return true
  }

  /** Goes on in a quoted string; false when it may go on in the next piece. */
  #quoted(): boolean {
    const text = this.#text
    const end = text.length
    for (let at = this.#at; at < end; at++) {
      const code = text.charCodeAt(at)
      const kind = inQuotes[code]
      if (kind === PLAIN) continue
      if (kind === ROUGH) {
        this.#octetOutsideAscii(code)
      } else if (code === BACKSLASH) {
        const next = this.#escape(at)
        if (next <= 0) return next === 0
        at = next
      } else if (code === QUOTE) {
        this.#at = at + 1
        if (this.#quotedValue) {
          this.#state = WORD
          this.#quotedValue = false
          return true
        }
        this.#state = GAP
        this.#token(at + 1)
        return true
      } else {
        this.#at = at
        this.#state = GAP
        this.#fail(
          this.#startLine,
          this.#startColumn,
          'a quoted string must end with " on its line (a line break inside is \\010)',
        )
        return true
      }
    }
    this.#at = end
    if (this.#mayGoOn()) return false
    this.#state = GAP
    this.#fail(this.#startLine, this.#startColumn, 'a quoted string must end with ", and the file ends before')
    return true
  }

  /** The place of the octet after the backslash at `at`; -1 when it is not there yet, 0 when none follows on the line. */
  #escape(at: number): number {
    this.#rough = true
    const code = this.#text.charCodeAt(at + 1)
    const missing = Number.isNaN(code)
    if (!missing && code !== LF && code !== CR) return at + 1
    this.#at = at
    if (missing && !this.#final) return -1
    this.#fail(
      this.line,
      this.#column(at),
      '\\ must be followed by a character or three digits, not by the end of the line',
    )
    this.#at = at + 1
    this.#state = GAP
    return 0
  }

  #octetOutsideAscii(code: number): void {
    this.#rough = true
    if ((code & 0xc0) === 0x80) this.#continuations++
  }

  #token(end: number): void {
    if (this.fault) return
    this.#size += end - this.#start + 1
    if (this.#size > MOST_ENTRY_OCTETS) {
      this.#tooLong()
      return
    }
    const text = this.#text.slice(this.#start, end)
    this.tokens.push(this.#rough ? printable(text) : text)
    const count = this.tokens.length
    if (count > this.#lines.length) this.#growPlaces()
    this.#lines[count - 1] = this.#startLine
    this.#columns[count - 1] = this.#startColumn
  }

  #tooLong(): void {
    const why = this.#depth > 0 ? `; is a ) missing for the ( on line ${this.#openLine}?` : ''
    this.#fail(this.#startLine, this.#startColumn, `an entry must have at most ${MOST_ENTRY_OCTETS} octets${why}`)
  }

  /** Whether a token may go on in the next piece. */
  #mayGoOn(): boolean {
    if (this.#at - this.#start > MOST_ENTRY_OCTETS) this.#tooLong()
    return !this.#final
  }

  #parenthesis(code: number): void {
    const column = this.#column(this.#at++)
    if (code === OPEN) {
      if (this.#depth++ > 0) return
      this.#openLine = this.line
      this.#openColumn = column
    } else if (this.#depth > 0) {
      this.#depth--
    } else {
      this.#fail(this.line, column, ') must follow a (, and none is open')
    }
  }

  #newLine(): boolean {
    this.line++
    this.#lineStart = this.#base + this.#at
    this.#continuations = 0
    if (this.#depth > 0) {
      if (this.fault) this.#state = LINE_AFTER_FAULT
      return false
    }
    this.#state = LINE
    return this.tokens.length > 0 || this.fault !== undefined
  }

  /** An entry that went wrong inside parentheses ends at its ) or where a line clearly begins another entry. */
  #endsFaulty(code: number): boolean {
    this.#state = GAP
    if (code === SPACE || code === TAB || code === CR || code === LF || code === CLOSE || code === SEMICOLON)
      return false
    this.#state = LINE
    return true
  }

  #endOfFile(): boolean {
    if (this.#state === WORD && this.#start < this.#at) {
      this.#state = GAP
      this.#token(this.#at)
    } else if (this.#state === QUOTED) {
      this.#state = GAP
      this.#fail(this.#startLine, this.#startColumn, 'a quoted string must end with ", and the file ends before')
    }
    if (this.#state === LINE) return false
    this.#state = LINE
    if (this.#depth > 0) {
      this.#fail(this.#openLine, this.#openColumn, 'a ( must be closed by a ), and the file ends before')
      this.#depth = 0
    }
    return this.tokens.length > 0 || this.fault !== undefined
  }

  #fail(line: number, column: number, message: string): void {
    this.fault ??= { line, column, message }
    this.tokens.length = 0
  }

  #growPlaces(): void {
    const [lines, columns] = [this.#lines, this.#columns]
    this.#lines = new Uint32Array(lines.length * 2)
    this.#columns = new Uint32Array(columns.length * 2)
    this.#lines.set(lines)
    this.#columns.set(columns)
  }

  #column(at: number): number {
    return this.#base + at - this.#lineStart - this.#continuations + 1
  }
}

/** The tokens of a short text, as an entry would have them. */
export function lexText(text: string): {
  readonly tokens: readonly string[]
  readonly fault: LexicalFault | undefined
} {
  const lexer = new Lexer()
  lexer.push(` ${text}`)
  lexer.finish()
  lexer.next()
  return lexer
}
