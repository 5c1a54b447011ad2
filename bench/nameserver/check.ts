import { decodeMessage, encodeMessage } from '../../src/dns/message.ts'
import { typeCode } from '../../src/dns/types/index.ts'
import { askUdp } from '../../test/support/dns-transports.ts'

const flags = { qr: false, aa: false, tc: false, rd: false, ra: false, ad: false, cd: false }
const sections = { answer: [], authority: [], additional: [] }

/** The octets of a question without EDNS, as `dnsperf` asks it. */
export const encodeQuestion = ([name, type]: readonly [string, string]): Uint8Array =>
  encodeMessage({
    id: 7,
    opcode: 0,
    rcode: 0,
    flags,
    question: [{ name, type: typeCode(type)!, class: 1 }],
    ...sections,
  })

/** Asks every server the same, and throws where one of them differs from the first in rcode or answers; how many were asked. */
export async function checkAlike(
  servers: readonly { readonly name: string; readonly port: number }[],
  questions: readonly (readonly [string, string])[],
): Promise<number> {
  for (const question of questions) {
    const [first, ...others] = await Promise.all(servers.map(({ port }) => answerOf(port, question)))
    for (const [i, other] of others.entries()) {
      if (other !== first) {
        throw new Error(`${question.join(' ')}: ${servers[0]!.name} says ${first}, ${servers[i + 1]!.name} ${other}`)
      }
    }
  }
  return questions.length
}

async function answerOf(port: number, question: readonly [string, string]): Promise<string> {
  const reply = await askUdp({ host: '127.0.0.1', port }, encodeQuestion(question))
  if (reply === undefined) return 'nothing'
  const { rcode, flags, answer } = decodeMessage(reply)
  const records = answer.map(
    ({ name, type, ttl, rdata }) => `${name} ${type} ${ttl} ${Buffer.from(rdata).toString('hex')}`,
  )
  return [`rcode ${rcode}`, flags.aa ? 'aa' : '', ...records.toSorted()].join(' ').toLowerCase()
}
