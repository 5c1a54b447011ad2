import { ApiError, fail } from '../errors.ts'

const maxDepth = 32
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a request body as JSON, refusing what other readers would understand differently: duplicate keys, bad UTF-8, deep nesting. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  if (text.trim() === '') fail('empty_request_body', 'Request Body is empty')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ApiError('invalid_json', `the body is not JSON: ${(error as Error).message}`)
  }
  if (value === null) fail('empty_request_body', 'Request Body is empty')
  if (typeof value === 'object') checkNesting(text)
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return fail('invalid_json', 'the body is not valid UTF-8')
  }
}

/** Walks text that is known to be JSON; `keys` holds the keys seen so far in each open object, undefined for an array. */
function checkNesting(text: string): void {
  const open: (Set<string> | undefined)[] = []
  let expectKey = false
  for (let i = 0; i < text.length; i += 1) {
    switch (text.charCodeAt(i)) {
      case 0x7b: // {
        open.push(new Set())
        expectKey = true
        break
      case 0x5b: // [
        open.push(undefined)
        expectKey = false
        break
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        expectKey = false
        break
      case 0x2c: // ,
        expectKey = open.at(-1) !== undefined
        break
      case 0x22: {
        const end = stringEnd(text, i)
        if (expectKey) {
          addKey(open.at(-1)!, text.slice(i, end + 1))
          expectKey = false
        }
        i = end
        break
      }
    }
    if (open.length > maxDepth) fail('invalid_json', `the body is nested deeper than ${maxDepth} levels`)
  }
}

function stringEnd(text: string, start: number): number {
  let i = start + 1
  while (text.charCodeAt(i) !== 0x22) i += text.charCodeAt(i) === 0x5c ? 2 : 1
  return i
}

function addKey(keys: Set<string>, quoted: string): void {
  const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
  if (keys.has(key)) fail('invalid_json', `the key ${JSON.stringify(key)} stands twice in one object`)
  keys.add(key)
}
