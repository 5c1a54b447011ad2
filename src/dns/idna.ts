import { createRequire } from 'node:module'
import type * as Tr46 from 'tr46'
import { TextError } from './errors.ts'
import { labelsOf } from './name.ts'
import { show } from './text.ts'

const require = createRequire(import.meta.url)
let loaded: typeof Tr46 | undefined

/** Read at the first name that needs it: its tables are large, every thread has its own, and most names are ASCII. */
function tr46(): typeof Tr46 {
  loaded ??= require('tr46') as typeof Tr46
  return loaded
}

const rules = { checkBidi: true, checkHyphens: true, checkJoiners: true }

// UTS 46 2.3: the full stops that stand for a dot between labels.
const DOTS = /[.\u3002\uff0e\uff61]/

/** A name a person typed, its labels beyond ASCII turned into A-labels and every A-label checked; all else is kept. */
export function nameToAscii(text: string): string {
  const unicode = /[^\0-\x7f]/.test(text)
  if (unicode && text.includes('\\'))
    throw new TextError(`name must not mix escapes with letters beyond ASCII: ${show(text)}`)
  if (!unicode && !/xn--/i.test(text)) return text
  return text
    .split(unicode ? DOTS : '.')
    .map(labelToAscii)
    .join('.')
}

/** The name as people read it: A-labels that are valid become U-labels, all else stays as it is. */
export function nameToUnicode(name: string): string {
  if (!/xn--/i.test(name)) return name
  const labels = labelsOf(name).map((label) => (isALabel(label) ? tr46().toUnicode(label, rules).domain : label))
  return `${labels.join('.')}.`
}

/** Whether a label is an A-label that stands for one U-label and is written as that U-label is. */
export function isALabel(label: string): boolean {
  if (!/^xn--[0-9a-z-]+$/i.test(label) || label.length > 63) return false
  const { domain, error } = tr46().toUnicode(label, rules)
  return !error && /[^\0-\x7f]/.test(domain) && tr46().toASCII(domain, rules) === label.toLowerCase()
}

function labelToAscii(label: string): string {
  if (/^xn--/i.test(label)) {
    if (isALabel(label)) return label
    throw new TextError(`label ${show(label)} starts with xn-- but is not an internationalized label (RFC 5891)`)
  }
  if (!/[^\0-\x7f]/.test(label)) return label
  const ascii = label.isWellFormed() && label.length <= 63 ? tr46().toASCII(label, rules) : null
  if (ascii === null || ascii.length > 63 || !/^[0-9a-z_-]+$/.test(ascii)) {
    throw new TextError(`label ${show(label)} has letters that no internationalized label (RFC 5891) may have`)
  }
  return ascii
}
