import { createSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'
import { decodeMessage, encodeMessage, type Message } from '../../src/dns/message.ts'
import { rdataFromText } from '../../src/dns/rdata.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { FrameDecoder, frame, packRecords } from '../../src/dns/stream.ts'
import { typeCode } from '../../src/dns/types/index.ts'
import { freePort } from './port.ts'

/** A master of this test process: what it says is up to the test. */
export type OwnMaster = {
  readonly port: number
  /** What it was asked for, the newest last: SOA, AXFR or IXFR. */
  readonly asked: string[]
  /** The serial it tells over UDP; undefined for silence. */
  serial: number | undefined
  /** Answers a request over TCP. */
  answer: (request: Message, socket: Socket) => void
  stop(): Promise<void>
}

const [SOA, IXFR] = [6, 251]

export const record = (name: string, type: string, text: string, ttl = 60): ResourceRecord => {
  const code = typeCode(type)!
  return { name, type: code, class: 1, ttl, rdata: rdataFromText(code, text) }
}

export const soaOf = (zone: string, serial: number, timers = '3600 600 86400 60'): ResourceRecord =>
  record(zone, 'SOA', `ns1.other.test. host.other.test. ${serial} ${timers}`)

/** Sends records as the answer to a transfer, packed into messages. */
export function send(socket: Socket, request: Message, records: Iterable<ResourceRecord>): void {
  const header = { ...request, flags: { ...request.flags, qr: true, aa: true }, rcode: 0 }
  for (const message of packRecords(header, records)) socket.write(frame(message))
}

/** Starts it with a zone that has an NS record and whatever else is given. */
export async function startOwnMaster(
  zone: string,
  serial: number,
  content: readonly ResourceRecord[] = [],
): Promise<OwnMaster> {
  const port = await freePort()
  const udp = createSocket('udp4')
  const sockets = new Set<Socket>()
  const master = {
    port,
    asked: [] as string[],
    serial: serial as number | undefined,
    answer: (request: Message, socket: Socket) =>
      send(socket, request, [
        soaOf(zone, master.serial!),
        record(zone, 'NS', 'ns1.other.test.'),
        ...content,
        soaOf(zone, master.serial!),
      ]),
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => tcp.close(resolve))
      await new Promise<void>((resolve) => udp.close(() => resolve()))
    },
  }
  udp.on('message', (bytes, { port: to, address }) => {
    const request = decodeMessage(bytes)
    master.asked.push('SOA')
    if (master.serial === undefined) return
    const reply = { ...request, flags: { ...request.flags, qr: true, aa: true }, answer: [soaOf(zone, master.serial)] }
    udp.send(encodeMessage(reply), to, address)
  })
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const frames = new FrameDecoder()
    socket.on('data', (chunk: Buffer) => {
      for (const bytes of frames.push(chunk)) {
        const request = decodeMessage(bytes)
        const type = request.question[0]!.type
        master.asked.push(type === SOA ? 'SOA' : type === IXFR ? 'IXFR' : 'AXFR')
        master.answer(request, socket)
      }
    })
  })
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => tcp.listen(port, '127.0.0.1', resolve))
  return master
}
