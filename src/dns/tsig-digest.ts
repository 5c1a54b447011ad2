import { createHmac, type Hmac } from 'node:crypto'
import { WireError } from './errors.ts'
import { nameKey, nameToWire } from './name.ts'
import { readTsig, TSIG, type Tsig, writeTsig } from './tsig-record.ts'
import { Reader, Writer } from './wire.ts'

/** The algorithms of RFC 8945 6: hash, octets of the whole hash and of the MAC sent, and name on the wire. */
export const tsigAlgorithms = {
  'hmac-md5': { hash: 'md5', whole: 16, octets: 16, name: 'hmac-md5.sig-alg.reg.int.' },
  'hmac-sha1': { hash: 'sha1', whole: 20, octets: 20, name: 'hmac-sha1.' },
  'hmac-sha224': { hash: 'sha224', whole: 28, octets: 28, name: 'hmac-sha224.' },
  'hmac-sha256': { hash: 'sha256', whole: 32, octets: 32, name: 'hmac-sha256.' },
  'hmac-sha256-128': { hash: 'sha256', whole: 32, octets: 16, name: 'hmac-sha256-128.' },
  'hmac-sha384': { hash: 'sha384', whole: 48, octets: 48, name: 'hmac-sha384.' },
  'hmac-sha384-192': { hash: 'sha384', whole: 48, octets: 24, name: 'hmac-sha384-192.' },
  'hmac-sha512': { hash: 'sha512', whole: 64, octets: 64, name: 'hmac-sha512.' },
  'hmac-sha512-256': { hash: 'sha512', whole: 64, octets: 32, name: 'hmac-sha512-256.' },
} as const

export type TsigAlgorithm = keyof typeof tsigAlgorithms

/** A shared secret. `macLength` sends MACs cut to so many octets and accepts no shorter ones; as a rule they are whole. */
export type TsigKey = {
  readonly name: string
  readonly algorithm: TsigAlgorithm
  readonly secret: Uint8Array
  readonly macLength?: number
}

/** How many octets of MAC a key sends. */
export function macLength({ algorithm, macLength }: TsigKey): number {
  const { octets } = tsigAlgorithms[algorithm]
  return Math.min(macLength ?? octets, octets)
}

/** A digest under a key that starts, where an earlier message is answered or continued, with that message's MAC. */
export function beginDigest(key: TsigKey, priorMac?: Uint8Array): Hmac {
  const digest = createHmac(tsigAlgorithms[key.algorithm].hash, key.secret)
  if (priorMac === undefined) return digest
  return digest.update(Uint8Array.of(priorMac.length >> 8, priorMac.length)).update(priorMac)
}

/** The TSIG variables (RFC 8945 4.3.3). */
export function variables(tsig: Tsig): Uint8Array {
  const writer = new Writer()
  writer.plainName(nameKey(tsig.name))
  writer.u16(255)
  writer.u32(0)
  writer.plainName(nameKey(tsig.algorithm))
  writer.u48(tsig.time)
  writer.u16(tsig.fudge)
  writer.u16(tsig.error)
  writer.u16(tsig.other.length)
  writer.bytes(tsig.other)
  return writer.finish()
}

/** The TSIG timers (RFC 8945 5.3.1), which stand for the variables from the second signature of a stream on. */
export function timers(tsig: Tsig): Uint8Array {
  const writer = new Writer()
  writer.u48(tsig.time)
  writer.u16(tsig.fudge)
  return writer.finish()
}

/** A message with a TSIG record after all others. */
export function appendTsig(message: Uint8Array, tsig: Tsig): Uint8Array {
  const writer = new Writer(message.length + 512)
  writer.bytes(message)
  writeTsig(writer, tsig)
  writer.patchU16(10, new Reader(message, 10).u16() + 1)
  return writer.finish()
}

/** How many octets a TSIG under this key takes; leave them free when encoding a message to be signed. */
export function tsigRoom(key: TsigKey): number {
  const names = nameToWire(key.name).length + nameToWire(tsigAlgorithms[key.algorithm].name).length
  // BADTIME answers carry 6 octets of time.
  return names + 26 + macLength(key) + 6
}

/** A message apart from its TSIG, as its sender signed it: with the original id and one additional record less. */
export function splitTsig(bytes: Uint8Array): { message: Uint8Array; tsig: Tsig } | undefined {
  const reader = new Reader(bytes, 4)
  const questions = reader.u16()
  const others = reader.u16() + reader.u16()
  const additionals = reader.u16()
  if (additionals === 0) return undefined
  for (let i = 0; i < questions; i++) {
    reader.skipName()
    reader.bytes(4)
  }
  for (let i = 1; i < others + additionals; i++) {
    reader.skipName()
    if (reader.u16() === TSIG) throw new WireError('a TSIG record must be the last of its message')
    reader.bytes(6)
    reader.bytes(reader.u16())
  }
  const start = reader.offset
  const name = reader.name()
  if (reader.u16() !== TSIG) return undefined
  const tsig = readTsig(reader, name)
  if (reader.remaining > 0) throw new WireError(`${reader.remaining} octets follow the message`)
  const message = new Uint8Array(bytes.subarray(0, start))
  message[0] = tsig.originalId >> 8
  message[1] = tsig.originalId
  message[10] = (additionals - 1) >> 8
  message[11] = additionals - 1
  return { message, tsig }
}
