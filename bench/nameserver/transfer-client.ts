import { connect } from 'node:net'
import { encodeMessage } from '../../src/dns/message.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { FrameDecoder, frame } from '../../src/dns/stream.ts'
import { SOA } from '../../src/zonedata/type-codes.ts'

const AXFR = 252
const IXFR = 251
const UPDATE = 5
const HEADER = 12
const PATIENCE = 60_000
const flags = { qr: false, aa: false, tc: false, rd: false, ra: false, ad: false, cd: false }
const sections = { answer: [], authority: [], additional: [] }

export type Taken = {
  readonly records: number
  readonly messages: number
  readonly octets: number
  readonly milliseconds: number
  /** Until the first message was here. */
  readonly first: number
}

/** Takes a whole zone, counts its records and throws them away. */
export const takeZone = (port: number, origin: string): Promise<Taken> =>
  take(port, encodeMessage({ id: 7, opcode: 0, rcode: 0, flags, question: [question(origin, AXFR)], ...sections }), 2)

/** Takes the one step from a serial to the next. */
export const takeStep = (port: number, origin: string, serial: number): Promise<Taken> =>
  take(
    port,
    encodeMessage({
      ...{ id: 7, opcode: 0, rcode: 0, flags, ...sections },
      question: [question(origin, IXFR)],
      authority: [soaWith(origin, serial)],
    }),
    // The newest SOA, the old one, the newest with what comes, and again at the end.
    4,
  )

/** Adds a record by a dynamic update (RFC 2136). */
export async function addRecord(port: number, origin: string, record: ResourceRecord): Promise<void> {
  const message = { id: 7, opcode: UPDATE, rcode: 0, flags, ...sections, question: [question(origin, SOA)] }
  await exchange(port, encodeMessage({ ...message, authority: [record] }), (reply) => {
    if ((reply[3]! & 15) !== 0) throw new Error(`an update was refused with rcode ${reply[3]! & 15}`)
    return true
  })
}

const question = (name: string, type: number) => ({ name, type, class: 1 })

function soaWith(name: string, serial: number): ResourceRecord {
  const rdata = new Uint8Array(22)
  new DataView(rdata.buffer).setUint32(2, serial)
  return { name, type: SOA, class: 1, ttl: 0, rdata }
}

async function take(port: number, request: Uint8Array, lastSoa: number): Promise<Taken> {
  let [records, messages, octets, soas, first] = [0, 0, 0, 0, 0]
  const began = performance.now()
  await exchange(port, request, (message) => {
    if ((message[3]! & 15) !== 0) throw new Error(`a transfer was refused with rcode ${message[3]! & 15}`)
    if (messages++ === 0) first = performance.now() - began
    octets += message.length
    records += (message[6]! << 8) | message[7]!
    soas += soasIn(message)
    return soas >= lastSoa
  })
  return { records, messages, octets, milliseconds: performance.now() - began, first }
}

/** How many of a message's answers are SOA records. */
function soasIn(message: Uint8Array): number {
  let at = HEADER
  for (let left = (message[4]! << 8) | message[5]!; left > 0; left--) at = nameEnd(message, at) + 4
  let soas = 0
  for (let left = (message[6]! << 8) | message[7]!; left > 0; left--) {
    at = nameEnd(message, at)
    if (message[at + 1] === SOA && message[at] === 0) soas++
    at += 10 + ((message[at + 8]! << 8) | message[at + 9]!)
  }
  return soas
}

function nameEnd(message: Uint8Array, at: number): number {
  for (let length = message[at]!; length > 0; length = message[at]!) {
    if (length >= 0xc0) return at + 2
    at += 1 + length
  }
  return at + 1
}

/** Sends a message and gives `isLast` what comes until it says so. */
function exchange(port: number, request: Uint8Array, isLast: (message: Uint8Array) => boolean): Promise<void> {
  const decoder = new FrameDecoder()
  return new Promise((resolve, reject) => {
    const callback = (length: number, buffer: Uint8Array) => {
      try {
        for (const message of decoder.push(buffer.subarray(0, length))) {
          if (!isLast(message)) continue
          resolve()
          socket.destroy()
          return false
        }
      } catch (error) {
        socket.destroy(error as Error)
        return false
      }
      return true
    }
    const buffer = Buffer.alloc(1 << 20)
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer, callback } }, () =>
      socket.write(frame(request)),
    )
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error('nothing came for a minute')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed the connection')))
  })
}
