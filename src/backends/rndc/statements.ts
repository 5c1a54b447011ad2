import { RndcError } from './protocol.ts'

/** A statement as named and rndc write them: words, maybe with others in braces. */
export type Statement = { readonly words: readonly string[]; readonly block: readonly Statement[] }

const MOST_CHARACTERS = 1 << 20
const MOST_DEPTH = 16

const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|#[^\n]*|"((?:\\[\s\S]|[^"\\])*)"|[{};]|[^\s{};"]+|"/g

/** The statements of a configuration text. In quoted words `\"` stands for a quote, as named has it. */
export function parseStatements(text: string): Statement[] {
  if (text.length > MOST_CHARACTERS) {
    throw new RndcError(`a configuration must have at most ${MOST_CHARACTERS} characters, not ${text.length}`)
  }
  const open: { words: string[]; block: Statement[] }[] = [{ words: [], block: [] }]
  let words: string[] = []
  let block: Statement[] = []
  const end = () => {
    if (words.length + block.length > 0) open.at(-1)!.block.push({ words, block })
    words = []
    block = []
  }
  for (const [whole, quoted] of text.matchAll(token)) {
    if (quoted !== undefined) words.push(quoted.replace(/\\([\s\S])/g, (pair, next) => (next === '"' ? '"' : pair)))
    else if (whole === '"') throw new RndcError('a quote is not closed')
    else if (whole === '{') {
      if (open.length > MOST_DEPTH) throw new RndcError(`braces are nested more than ${MOST_DEPTH} deep`)
      open.push({ words, block: [] })
      words = []
    } else if (whole === '}') {
      end()
      const closed = open.pop()!
      if (open.length === 0) throw new RndcError('a brace is closed that was not opened')
      words = closed.words
      block = closed.block
    } else if (whole === ';') end()
    else if (!/^(?:\/\*|\/\/|#)/.test(whole)) words.push(whole)
  }
  end()
  if (open.length > 1) throw new RndcError('a brace is not closed')
  return open[0]!.block
}

/** The words after the first statement of this name. */
export function wordsOf(statements: readonly Statement[], name: string): readonly string[] | undefined {
  return statements.find(({ words }) => words[0]?.toLowerCase() === name)?.words.slice(1)
}
