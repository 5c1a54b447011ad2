import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Mendable } from '../mendable.ts'
import { type RndcAlgorithm, RndcError, type RndcKey, rndcAlgorithms } from './protocol.ts'
import { parseStatements, type Statement, wordsOf } from './statements.ts'

/** Where the key of a control channel is: in itself, in a file, or in one of the places that rndc looks at. */
export type KeyPlace = {
  readonly secret: string | undefined
  readonly name: string
  readonly algorithm: string
  readonly file: string | undefined
  /** The server, whose key an rndc.conf may name. */
  readonly host: string
}

const MOST_INCLUDES = 20
const usual = ['/etc/bind', '/etc', '/usr/local/etc', '/usr/local/etc/bind', '/etc/namedb', '/etc/named'].flatMap(
  (folder) => [`${folder}/rndc.conf`, `${folder}/rndc.key`],
)

/** The key to speak to a server with. */
export async function loadKey({ secret, name, algorithm, file, host }: KeyPlace): Promise<RndcKey> {
  if (secret !== undefined) return usable('rndc_key_secret', () => makeKey(name, algorithm, secret))
  const path = file ?? (await firstReadable(usual))
  if (path === undefined) {
    throw new Mendable(
      'no key of the control channel is given, and none is where rndc looks for one',
      'Set rndc_key_secret (with rndc_key_name and rndc_key_algorithm) or rndc_key_file of the target to a key that the controls statement of named.conf lists.',
    )
  }
  const statements = await readStatements(path)
  return usable(path, () => chooseKey(statements, name, host))
}

/** The key of a configuration for a server: the one its server statement names, else the default, else by name, else the only one. */
export function chooseKey(statements: readonly Statement[], name: string, host: string): RndcKey {
  const keys = statements.filter(({ words }) => words[0]?.toLowerCase() === 'key')
  const server = statements.find(({ words }) => words[0]?.toLowerCase() === 'server' && words[1] === host)
  const options = statements.find(({ words }) => words[0]?.toLowerCase() === 'options')
  const said = wordsOf(server?.block ?? [], 'key')?.[0] ?? wordsOf(options?.block ?? [], 'default-key')?.[0]
  const names = keys.map(({ words }) => words[1] ?? '')
  const wanted = said ?? (keys.length === 1 ? names[0] : name)
  const key = keys.find(({ words }) => words[1] === wanted)
  if (keys.length === 0) throw new RndcError('it has no key statement')
  if (key === undefined) throw new RndcError(`it has no key ${JSON.stringify(wanted)}, but ${names.join(', ')}`)
  return makeKey(wanted!, wordsOf(key.block, 'algorithm')?.[0] ?? '', wordsOf(key.block, 'secret')?.[0] ?? '')
}

/** A key of text as people write it. */
export function makeKey(name: string, algorithm: string, secret: string): RndcKey {
  const known = algorithm.toLowerCase().replace(/\.sig-alg\.reg\.int\.?$/, '')
  if (!Object.hasOwn(rndcAlgorithms, known)) {
    const names = Object.keys(rndcAlgorithms).join(', ')
    throw new RndcError(`the algorithm of the key ${name} must be one of ${names}, not ${JSON.stringify(algorithm)}`)
  }
  const base64 = secret.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) {
    throw new RndcError(`the secret of the key ${name} must be base64`)
  }
  return { name, algorithm: known as RndcAlgorithm, secret: Buffer.from(base64, 'base64') }
}

async function readStatements(path: string, files = { left: MOST_INCLUDES }): Promise<Statement[]> {
  if (files.left-- === 0) return usable(path, () => tooMany())
  const text = await readText(path)
  const statements = usable(path, () => parseStatements(text))
  const parts: Statement[] = []
  for (const statement of statements) {
    const [what, file] = statement.words
    if (what?.toLowerCase() !== 'include' || file === undefined) parts.push(statement)
    else parts.push(...(await readStatements(resolve(dirname(path), file), files)))
  }
  return parts
}

function tooMany(): never {
  throw new RndcError(`more than ${MOST_INCLUDES} files are included`)
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new Mendable(
      `the key of the control channel cannot be read: ${(cause as Error).message}`,
      `Let the user that Nameplane runs as read ${path} (Debian: add it to the group bind), or give the key as rndc_key_secret.`,
      { cause },
    )
  }
}

async function firstReadable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await readFile(path).catch(() => undefined)
    if (text !== undefined) return path
  }
  return undefined
}

function usable<T>(place: string, make: () => T): T {
  try {
    return make()
  } catch (cause) {
    if (!(cause instanceof RndcError)) throw cause
    throw new Mendable(
      `the key of the control channel in ${place} cannot be used: ${cause.message}`,
      'Give a key as named.conf has it: key "name" { algorithm hmac-sha256; secret "base64"; };',
      { cause },
    )
  }
}
