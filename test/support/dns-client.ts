import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { decodeMessage, encodeMessage, type Message, type Question } from '../../src/dns/message.ts'

const IN_FLIGHT = 64
const TRIES = 4
const PATIENCE = 1_500

const flags = { qr: false, aa: false, tc: false, rd: false, ra: false, ad: false, cd: false }
const edns = { udpSize: 4096, version: 0, dnssecOk: false, options: [] }

/** The replies of a server on loopback to many questions, in their order: over UDP, and over TCP where UDP was too small. */
export async function askAll(port: number, questions: readonly Question[]): Promise<Message[]> {
  const replies: Message[] = new Array(questions.length)
  const waiting = new Map<number, (reply: Buffer) => void>()
  const socket = createSocket('udp4')
  socket.on('message', (reply) => waiting.get(reply.readUInt16BE(0))?.(reply))
  await new Promise<void>((resolve) => socket.connect(port, '127.0.0.1', resolve))
  const once = (query: Uint8Array, id: number) =>
    new Promise<Buffer | undefined>((resolve) => {
      const settle = (reply?: Buffer) => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve(reply)
      }
      const timer = setTimeout(settle, PATIENCE)
      waiting.set(id, settle)
      socket.send(query)
    })
  let next = 0
  const work = async () => {
    for (let at = next++; at < questions.length; at = next++) {
      const id = at & 0xffff
      const query = queryFor(id, questions[at]!)
      let reply: Buffer | undefined
      for (let attempt = 0; reply === undefined && attempt < TRIES; attempt++) reply = await once(query, id)
      if (reply === undefined) throw new Error(`no reply from port ${port} to ${JSON.stringify(questions[at])}`)
      const message = decodeMessage(reply)
      replies[at] = message.flags.tc ? decodeMessage(await askTcp(port, query)) : message
    }
  }
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, work))
  } finally {
    socket.close()
  }
  return replies
}

/** The reply to one question. */
export async function ask(port: number, question: Question): Promise<Message> {
  return (await askAll(port, [question]))[0]!
}

/** The octets of the first message that comes back over TCP. */
export function askTcp(port: number, query: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = Buffer.alloc(0)
    socket.setTimeout(PATIENCE * TRIES, () => socket.destroy(new Error(`no reply over TCP from port ${port}`)))
    socket.once('error', reject)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
      resolve(received.subarray(2, 2 + received.readUInt16BE(0)))
      socket.destroy()
    })
    socket.write(Buffer.concat([Buffer.of(query.length >> 8, query.length & 255), query]))
  })
}

function queryFor(id: number, question: Question): Uint8Array {
  return encodeMessage({
    id,
    opcode: 0,
    rcode: 0,
    flags,
    question: [question],
    answer: [],
    authority: [],
    additional: [],
    edns,
  })
}
