import { TextError } from '../errors.ts'

/** The numbers a $GENERATE goes through. */
export type Range = { readonly start: number; readonly stop: number; readonly step: number; readonly count: number }

/** Text with places for the number, ready to be filled in. */
export type Template = (number: number) => string

const MOST_NUMBER = 0x7fff_ffff
const MOST_WIDTH = 255

/** `start-stop` or `start-stop/step`. */
export function parseRange(text: string): Range {
  const [, first, last, by] = /^(\d{1,10})-(\d{1,10})(?:\/(\d{1,10}))?$/.exec(text) ?? []
  const start = Number(first)
  const stop = Number(last)
  const step = Number(by ?? 1)
  if (first === undefined || start > stop || step === 0 || stop > MOST_NUMBER || step > MOST_NUMBER) {
    throw new TextError(
      `range must be start-stop or start-stop/step with start <= stop <= ${MOST_NUMBER}, not ${text.slice(0, 40)}`,
    )
  }
  return { start, stop, step, count: Math.floor((stop - start) / step) + 1 }
}

/** Reads `$` and `${offset,width,base}`; `$$` and `\$` stand for a dollar sign. */
export function parseTemplate(text: string): Template {
  const literals: string[] = []
  const places: Template[] = []
  let literal = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '\\') {
      literal += text.slice(i, i + 2)
      i++
    } else if (char !== '$') {
      literal += char
    } else if (text[i + 1] === '$') {
      literal += '\\$'
      i++
    } else {
      const close = text[i + 1] === '{' ? text.indexOf('}', i) : i
      literals.push(literal)
      literal = ''
      places.push(close === i ? String : parsePlace(text.slice(i, close < 0 ? undefined : close + 1)))
      i = close < 0 ? text.length : close
    }
  }
  return (number) => {
    let filled = ''
    for (let i = 0; i < places.length; i++) filled += literals[i] + places[i]!(number)
    return filled + literal
  }
}

function parsePlace(text: string): Template {
  const [, offsetText, widthText, base = 'd'] =
    /^\$\{([+-]?\d{1,10})(?:,(\d{1,3})(?:,([doxXnN]))?)?\}$/.exec(text) ?? []
  const offset = Number(offsetText)
  const width = Number(widthText ?? 0)
  if (offsetText === undefined || Math.abs(offset) > MOST_NUMBER || width > MOST_WIDTH) {
    throw new TextError(
      `a place must be $, or \${offset,width,base} with width 0..${MOST_WIDTH} and base d o x X n or N, not ${text.slice(0, 40)}`,
    )
  }
  return (number) => {
    const value = number + offset
    if (value > MOST_NUMBER)
      throw new TextError(`${text} must stay at most ${MOST_NUMBER}, and ${number} gives ${value}`)
    if (value < 0 && base !== 'd') throw new TextError(`${text} must not go below 0, and ${number} gives ${value}`)
    return write(value, width, base)
  }
}

function write(value: number, width: number, base: string): string {
  switch (base) {
    case 'o':
      return value.toString(8).padStart(width, '0')
    case 'x':
      return value.toString(16).padStart(width, '0')
    case 'X':
      return value.toString(16).toUpperCase().padStart(width, '0')
    case 'n':
      return nibbles(value, width)
    case 'N':
      return nibbles(value, width).toUpperCase()
    default:
      return value < 0 ? `-${String(-value).padStart(width - 1, '0')}` : String(value).padStart(width, '0')
  }
}

/** Hexadecimal digits as labels, the last one first; the width counts the dots as well. */
function nibbles(value: number, width: number): string {
  let text = ''
  do {
    text += (value & 15).toString(16)
    value >>>= 4
    if (value > 0 || text.length < width) text += '.'
  } while (value > 0 || text.length < width)
  return text
}
