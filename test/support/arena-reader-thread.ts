import { parentPort, workerData } from 'node:worker_threads'
import { decodeMessage } from '../../src/dns/message.ts'
import { typeName } from '../../src/dns/types/index.ts'
import { RecentAnswers } from '../../src/nameserver/arena/recent-answers.ts'
import { servedFrom } from '../../src/nameserver/arena/served.ts'
import { handle } from '../../src/nameserver/handle.ts'
import { type ArenaLink, readerFrom } from './arena-links.ts'
import { asked, generationOf } from './generations.ts'
import { from, query, serverOf } from './nameserver.ts'

// Asks by both paths, and by what remembers answers, for a while and looks at every answer: one generation, none older than one seen before.
const { link, zones, milliseconds } = workerData as { link: ArenaLink; zones: number; milliseconds: number }
const reader = readerFrom(link)
const recent = new RecentAnswers(reader)
const server = serverOf({ zones: servedFrom(reader) })
const queries = Array.from({ length: zones }, (_, i) =>
  asked.map(({ label, type }) => query(`${label}.z${i}.test.`, typeName(type))),
)
const newest = new Array<number>(zones).fill(0)
const out = new Uint8Array(4096)
const seen = { fast: 0, general: 0, refused: 0, faults: [] as string[] }
const end = Date.now() + milliseconds
for (let turn = 0; Date.now() < end || turn < 1000; turn++) {
  const zone = (turn * 31) % zones
  const which = turn % asked.length
  const bytes = queries[zone]![which]!
  const isGeneral = turn % 9 === 0
  const path = turn % 4 === 1 ? reader : recent
  const length = isGeneral ? -1 : path.answer(bytes, 0, bytes.length, out, 0, 1232)
  const reply = decodeMessage(length < 0 ? (handle(bytes, from(), server) as Uint8Array) : out.slice(0, length))
  if (reply.rcode === 5 && zone % 5 === 0) {
    seen.refused++
    continue
  }
  seen[length < 0 ? 'general' : 'fast']++
  const generation = generationOf(asked[which]!.label, reply)
  if (typeof generation === 'string') seen.faults.push(`${length < 0 ? 'general' : 'fast'}: ${generation}`)
  else if (generation < newest[zone]!) seen.faults.push(`generation ${generation} after ${newest[zone]}`)
  else newest[zone] = generation
  if (seen.faults.length > 20) break
}
parentPort!.postMessage({ ...seen, newest, again: recent.hits })
link.port.close()
