import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { Trouble } from '../trouble.ts'

/** A zone that a named.conf names. */
export type NamedZone = { readonly name: string; readonly type: string; readonly file: string | undefined }

type Token = { readonly text: string; readonly quoted: boolean }

const mostIncludes = 1000

/** The zones of a named.conf and of the files it includes, with their files as paths from here. */
export function namedZones(path: string): NamedZone[] {
  const zones: NamedZone[] = []
  let directory = dirname(path)
  let included = 0

  const read = (file: string): void => {
    if (++included > mostIncludes) throw new Trouble(`${path} includes more than ${mostIncludes} files`)
    const tokens = tokensOf(textOf(file), file)
    let at = 0
    const place = (name: string) => (isAbsolute(name) ? name : join(directory, name))

    /** Reads statements until a brace closes; `inside` is told each with its words, and where its block ends. */
    const block = (inside: (words: readonly Token[]) => void): void => {
      let words: Token[] = []
      for (; at < tokens.length; at++) {
        const token = tokens[at]!
        if (token.quoted || !/^[{};]$/.test(token.text)) words.push(token)
        else if (token.text === '{') {
          at++
          enter(words)
        } else if (token.text === ';') {
          if (words.length > 0) inside(words)
          words = []
        } else return
      }
    }

    const enter = (words: readonly Token[]): void => {
      const [what, name] = words.map(({ text }) => text)
      if (what === 'zone' && name !== undefined) {
        const found: Record<string, string> = {}
        block(([key, value]) => {
          if (key && value) found[key.text] ??= value.text
        })
        zones.push({ name: dotted(name), type: found.type ?? 'primary', file: found.file && place(found.file) })
      } else if (what === 'options' || what === 'view' || what === undefined) block(statement)
      else block(() => {})
    }

    const statement = ([key, value]: readonly Token[]): void => {
      if (key?.text === 'directory' && value)
        directory = isAbsolute(value.text) ? value.text : join(dirname(path), value.text)
      if (key?.text === 'include' && value) read(place(value.text))
    }

    block(statement)
  }

  read(path)
  return zones
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Trouble(`cannot read ${file}: ${(error as Error).message}`)
  }
}

const dotted = (name: string): string => (name.endsWith('.') ? name : `${name}.`)

const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|#[^\n]*|"((?:\\.|[^"\\])*)"|[{};]|[^\s{};"]+/g

function tokensOf(text: string, file: string): Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(token)) {
    const [whole, quoted] = match
    if (quoted !== undefined) tokens.push({ text: quoted.replaceAll(/\\(.)/g, '$1'), quoted: true })
    else if (!/^(\/\*|\/\/|#)/.test(whole)) tokens.push({ text: whole, quoted: false })
  }
  const depth = tokens.reduce((n, one) => n + (one.quoted ? 0 : one.text === '{' ? 1 : one.text === '}' ? -1 : 0), 0)
  if (depth !== 0)
    throw new Trouble(`${file}: braces must be in pairs; ${depth > 0 ? 'one is not closed' : 'one closes nothing'}`)
  return tokens
}
