import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { Lexer, MOST_ENTRY_OCTETS } from './lexer.ts'

type Entry =
  | { readonly tokens: readonly string[]; readonly blank: boolean }
  | { readonly fault: string; readonly at: string }

function lex(pieces: Iterable<string>): Entry[] {
  const lexer = new Lexer()
  const entries: Entry[] = []
  const drain = () => {
    while (lexer.next()) {
      const { fault, tokens, blankOwner } = lexer
      entries.push(
        fault
          ? { fault: fault.message, at: `${fault.line}:${fault.column}` }
          : { tokens: [...tokens], blank: blankOwner },
      )
    }
  }
  for (const piece of pieces) {
    lexer.push(piece)
    drain()
  }
  lexer.finish()
  drain()
  return entries
}

const tokensOf = (text: string) => lex([text]).map((entry) => ('tokens' in entry ? entry.tokens : entry.fault))
const faultOf = (text: string) =>
  lex([text]).flatMap((entry) => ('fault' in entry ? [`${entry.at} ${entry.fault}`] : []))
const octets = (text: string) => Buffer.from(text).toString('latin1')

const cases: readonly [name: string, text: string, tokens: readonly (readonly string[])[]][] = [
  [
    'a line is an entry',
    'a b\nc d\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['[F9] the last line may lack its end', 'a b\nc', [['a', 'b'], ['c']]],
  ['[F9] CRLF ends a line', 'a b\r\nc\r\n\r\n', [['a', 'b'], ['c']]],
  ['[F9] tabs and blanks are alike', 'a\t \tb', [['a', 'b']]],
  ['[F8] a comment runs to the end of the line', 'a ; b " ( \\\n;x\nc;d\n', [['a'], ['c']]],
  ['[F7] parentheses join lines', 'a ( b ; x\n c\n)\nd', [['a', 'b', 'c'], ['d']]],
  ['[F7] parentheses nest and need no blanks', 'a((b)(c)\n)d\ne', [['a', 'b', 'c', 'd'], ['e']]],
  ['[F10] quotes keep blanks, parentheses and semicolons', 'a "b (;) c" d', [['a', '"b (;) c"', 'd']]],
  ['[F10] a quoted string ends a word and begins one', 'a"b"c', [['a', '"b"', 'c']]],
  ['[F10] an empty string is a token', 'a ""', [['a', '""']]],
  ['[F10] the value of key="value" stays with its key', 'a alpn="h2,h3" b="x y"c', [['a', 'alpn="h2,h3"', 'b="x y"c']]],
  ['[F11] escapes stay as they are', 'a\\.b \\; \\" "\\"" \\( \\\\', [['a\\.b', '\\;', '\\"', '"\\""', '\\(', '\\\\']]],
  ['[F11] an escaped blank belongs to the word', 'a\\ b c', [['a\\032b', 'c']]],
  ['[F12] octets outside ASCII become \\DDD', octets('ü "ü" \\ü'), [['\\195\\188', '"\\195\\188"', '\\195\\188']]],
  ['[F12] control characters become \\DDD', 'a\x00b "\t\x7f"', [['a\\000b', '"\\009\\127"']]],
  ['[F9] a byte order mark is skipped', '\xef\xbb\xbfa b', [['a', 'b']]],
  ['an empty file has no entry', '', []],
  ['blank lines and comments are no entries', '\n \n;\n\t;x\n()\n', []],
]

for (const [name, text, tokens] of cases) {
  test(name, () => deepEqual(tokensOf(text), tokens))
  test(`${name}, however it is cut`, () => {
    deepEqual(lex(text), lex([text]))
    for (let at = 0; at <= text.length; at++) deepEqual(lex([text.slice(0, at), text.slice(at)]), lex([text]))
  })
}

test('[F1] white space at the start of a line stands for the owner before', () => {
  deepEqual(
    lex(['a\n b\n\tc\n(d)\n']).map((entry) => 'blank' in entry && entry.blank),
    [false, true, true, false],
  )
})

const faults: readonly [text: string, fault: RegExp, tokens: number][] = [
  ['a "b\nc', /^1:3 a quoted string must end/, 1],
  ['a "b', /^1:3 a quoted string must end.*file ends/, 0],
  ['x\na )\nc', /^2:3 \) must follow/, 2],
  ['a (\n b\n c', /^1:3 a \( must be closed/, 0],
  ['a ( (\n b', /^1:3 a \( must be closed/, 0],
  ['a ) )', /^1:3 \) must follow/, 0],
  [octets('a \\ü "b'), /^1:6 a quoted string/, 0],
  ['a b\\\nc', /^1:4 \\ must be followed/, 1],
  ['a b\\\r\nc', /^1:4 \\ must be followed/, 1],
  ['a b\\', /^1:4 \\ must be followed/, 0],
  ['a ( "b\n "c"\n )\nd', /^1:5 a quoted string/, 1],
  ['a ( "b )\nc d\n e f', /^1:5 a quoted string/, 2],
  [octets('ü ä "b\nc'), /^1:5 a quoted string/, 1],
]

for (const [text, fault, others] of faults) {
  test(`[F24] ${JSON.stringify(text)} is a fault with its place, and reading goes on`, () => {
    for (const pieces of [[text], [...text]]) {
      const entries = lex(pieces)
      const found = entries.flatMap((entry) => ('fault' in entry ? [`${entry.at} ${entry.fault}`] : []))
      equal(found.length, 1)
      match(found[0]!, fault)
      equal(entries.length - found.length, others)
    }
  })
}

test('[F26] an entry that is too long is one fault, and the next one is read', () => {
  const long = 'x'.repeat(MOST_ENTRY_OCTETS + 1)
  for (const text of [`a ${long}\nb`, `a "${long}"\nb`, `a ${'xy '.repeat(MOST_ENTRY_OCTETS / 2)}\nb`]) {
    const pieces = text.match(/[\s\S]{1,65536}/g)!
    deepEqual(
      lex(pieces).map((entry) => ('fault' in entry ? 'fault' : entry.tokens)),
      ['fault', ['b']],
    )
  }
})

test('[F26] the fault of a very long entry tells which parenthesis may be open', () => {
  const text = `a (\n${` b ${'x'.repeat(1000)}\n`.repeat(600)}c d\ne f\n`
  const found = faultOf(text)
  equal(found.length, 1)
  equal(/is a \) missing for the \( on line 1\?/.test(found[0]!), true)
  deepEqual(tokensOf(text).slice(1), [
    ['c', 'd'],
    ['e', 'f'],
  ])
})

test('[F26] a million parentheses, quotes or backslashes take a moment', () => {
  const started = performance.now()
  for (const unit of ['(', ')', '"', '\\', '((\n', '""', ';', ' (', 'a"', '="', '$', '\n', '\r'])
    lex([unit.repeat(1_000_000)])
  equal(performance.now() - started < 10_000, true)
})
