import { createHmac, timingSafeEqual } from 'node:crypto'

/** A value of the control channel; text stands for octets, one a character. */
export type Value = string | Table | readonly Value[]
export type Table = ReadonlyMap<string, Value>

export type RndcKey = {
  readonly name: string
  readonly algorithm: RndcAlgorithm
  readonly secret: Uint8Array
}

/** The algorithms of the control channel with the number each has there. */
export const rndcAlgorithms = {
  'hmac-md5': { hash: 'md5', code: 157 },
  'hmac-sha1': { hash: 'sha1', code: 161 },
  'hmac-sha224': { hash: 'sha224', code: 162 },
  'hmac-sha256': { hash: 'sha256', code: 163 },
  'hmac-sha384': { hash: 'sha384', code: 164 },
  'hmac-sha512': { hash: 'sha512', code: 165 },
} as const

export type RndcAlgorithm = keyof typeof rndcAlgorithms

/** What does not follow the protocol; the only thing that reading throws. */
export class RndcError extends Error {
  override name = 'RndcError'
}

const VERSION = 1
const [BINARY, TABLE, LIST] = [1, 2, 3]
// named takes requests of 32 KiB; its answers are the size of what is asked for, and rndc takes 1 MiB.
const MOST_REQUEST = 32_768
const MOST_REPLY = 1 << 20
const MOST_DEPTH = 8
// The signature of any SHA is a field of this size, filled up with zeros.
const SHA_FIELD = 88
const MD5_FIELD = 22

/** A signed message with its length before it, as it is sent. */
export function encodeMessage(message: Table, key: RndcKey): Buffer {
  const body = Buffer.concat(tableParts(message))
  const auth = Buffer.concat(tableParts(new Map([['_auth', new Map([[authName(key), signatureOf(body, key)]])]])))
  const head = Buffer.alloc(8)
  const length = 4 + auth.length + body.length
  if (length > MOST_REQUEST) throw new RndcError(`a request must have at most ${MOST_REQUEST} octets, not ${length}`)
  head.writeUInt32BE(length, 0)
  head.writeUInt32BE(VERSION, 4)
  return Buffer.concat([head, auth, body])
}

/** The content of a message, without its length, that is signed with the key. */
export function decodeMessage(bytes: Uint8Array, key: RndcKey): Table {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (buffer.length < 4) throw new RndcError('a message is cut short')
  const version = buffer.readUInt32BE(0)
  if (version !== VERSION) throw new RndcError(`the version of a message must be ${VERSION}, not ${version}`)
  const cursor = { buffer, at: 4 }
  const first = readEntry(cursor, buffer.length, 0)
  const body = buffer.subarray(cursor.at)
  if (first.key !== '_auth' || !isSigned(first.value, body, key)) {
    throw new RndcError(`the answer is not signed with the key ${key.name}`)
  }
  return readTable(cursor, buffer.length, 0)
}

/** Cuts a stream into messages, without their lengths. */
export class MessageSplitter {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): Buffer[] {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Buffer[] = []
    while (rest.length >= 4) {
      const length = rest.readUInt32BE(0)
      if (length > MOST_REPLY) throw new RndcError(`a message must have at most ${MOST_REPLY} octets, not ${length}`)
      if (rest.length < 4 + length) break
      messages.push(rest.subarray(4, 4 + length))
      rest = rest.subarray(4 + length)
    }
    this.#rest = rest
    return messages
  }
}

type Cursor = { readonly buffer: Buffer; at: number }

const authName = ({ algorithm }: RndcKey): string => (algorithm === 'hmac-md5' ? 'hmd5' : 'hsha')

/** The base64 of the hash in a field of fixed size; for all but MD5 the algorithm's number stands before it. */
function signatureOf(body: Buffer, { algorithm, secret }: RndcKey): string {
  const { hash, code } = rndcAlgorithms[algorithm]
  const text = createHmac(hash, secret).update(body).digest('base64')
  if (algorithm === 'hmac-md5') return text.slice(0, MD5_FIELD)
  return String.fromCharCode(code) + text.padEnd(SHA_FIELD, '\0')
}

function isSigned(auth: Value, body: Buffer, key: RndcKey): boolean {
  const found = auth instanceof Map ? auth.get(authName(key)) : undefined
  if (typeof found !== 'string') return false
  const [is, should] = [Buffer.from(found, 'latin1'), Buffer.from(signatureOf(body, key), 'latin1')]
  return is.length === should.length && timingSafeEqual(is, should)
}

function tableParts(table: Table): Buffer[] {
  return [...table].flatMap(([key, value]) => {
    const name = Buffer.from(key, 'latin1')
    if (name.length > 255) throw new RndcError(`a key must have at most 255 octets, not ${name.length}`)
    return [Buffer.of(name.length), name, encodeValue(value)]
  })
}

function encodeValue(value: Value): Buffer {
  if (typeof value === 'string') return tagged(BINARY, Buffer.from(value, 'latin1'))
  if (value instanceof Map) return tagged(TABLE, Buffer.concat(tableParts(value)))
  return tagged(LIST, Buffer.concat((value as readonly Value[]).map(encodeValue)))
}

function tagged(tag: number, content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(tag, 0)
  head.writeUInt32BE(content.length, 1)
  return Buffer.concat([head, content])
}

function readTable(cursor: Cursor, end: number, depth: number): Table {
  const table = new Map<string, Value>()
  while (cursor.at < end) {
    const { key, value } = readEntry(cursor, end, depth)
    if (table.has(key)) throw new RndcError(`a table has ${JSON.stringify(key)} twice`)
    table.set(key, value)
  }
  return table
}

function readEntry(cursor: Cursor, end: number, depth: number): { key: string; value: Value } {
  const start = cursor.at + 1
  const after = start + (cursor.buffer[cursor.at] ?? 0)
  if (after > end) throw new RndcError('a key is cut short')
  cursor.at = after
  return { key: cursor.buffer.toString('latin1', start, after), value: readValue(cursor, end, depth) }
}

function readValue(cursor: Cursor, end: number, depth: number): Value {
  if (depth > MOST_DEPTH) throw new RndcError(`a message is nested more than ${MOST_DEPTH} deep`)
  const { buffer, at } = cursor
  if (at + 5 > end) throw new RndcError('a value is cut short')
  const [tag, from] = [buffer.readUInt8(at), at + 5]
  const to = from + buffer.readUInt32BE(at + 1)
  if (to > end) throw new RndcError('a value is cut short')
  cursor.at = from
  if (tag === TABLE) return readTable(cursor, to, depth + 1)
  if (tag === LIST) return readList(cursor, to, depth + 1)
  if (tag !== BINARY) throw new RndcError(`a value is of unknown kind ${tag}`)
  cursor.at = to
  return buffer.toString('latin1', from, to)
}

function readList(cursor: Cursor, end: number, depth: number): readonly Value[] {
  const list: Value[] = []
  while (cursor.at < end) list.push(readValue(cursor, end, depth))
  return list
}
