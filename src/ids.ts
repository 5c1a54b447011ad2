import { randomFillSync } from 'node:crypto'

// Asking the system for random bytes costs more than the rest, so many are asked for at once.
const supply = new Uint8Array(4080)
let used = supply.length
let lastMillisecond = 0
let counter = 0

/** A new UUIDv7 that sorts after every one this process made before (RFC 9562 6.2, method 1). */
export function newId(now: Date = new Date()): string {
  const random = freshBytes(10)
  const millisecond = Math.max(now.getTime(), lastMillisecond)
  counter = millisecond === lastMillisecond ? counter + 1 : random[8]! << 2
  lastMillisecond = millisecond
  if (counter > 0xfff) {
    counter = 0
    lastMillisecond += 1
  }
  const time = lastMillisecond.toString(16).padStart(12, '0')
  const sequence = counter.toString(16).padStart(3, '0')
  const variant = (0x80 | (random[0]! & 0x3f)).toString(16)
  const tail = Buffer.from(random.buffer, random.byteOffset + 1, 7).toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${variant}${tail.slice(0, 2)}-${tail.slice(2)}`
}

function freshBytes(count: number): Uint8Array {
  if (used + count > supply.length) {
    randomFillSync(supply)
    used = 0
  }
  used += count
  return supply.subarray(used - count, used)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const loose = /^(?:urn:uuid:)?\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i

/** The lower-case dashed form of anything UUID-like, or undefined. */
export function toUuid(text: string): string | undefined {
  if (uuid.test(text)) return text
  return loose.exec(text)?.slice(1).join('-').toLowerCase()
}
