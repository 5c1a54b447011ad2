import { deepEqual, equal, ok } from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { after, before, test } from 'node:test'
import { decodeMessage } from '../src/dns/message.ts'
import { query } from './support/nameserver.ts'
import { type Served, startServed, until } from './support/served.ts'
import type { ShownSet, ShownZone } from './support/zones-api.ts'

const milliseconds = 4000
const writers = 8
const readers = 8

let served: Served
before(async () => {
  served = await startServed({ keeper: { threads: 2 } })
})
after(() => served.close())

/** The state of a writer's set is a number; its three records all carry it, and so does nothing else. */
const recordsOf = (state: number) => [1, 2, 3].map((i) => `10.${i}.${state >> 8}.${state & 255}`)

test('[S77] an answer is a state the zone had, never older than one seen or than one told to be ACTIVE', async () => {
  const { api, port } = served
  const zone = await api.newZone('busy.example.')
  const sets: ShownSet[] = []
  for (let w = 0; w < writers; w++) sets.push(await api.newSet(zone, `w${w}.busy.example.`, 'A', recordsOf(0)))
  ok(await until(async () => (await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.status === 'ACTIVE'))

  /** For each writer: the state it has begun to write, and the newest it was told to be served. */
  const begun = new Array<number>(writers).fill(0)
  const active = new Array<number>(writers).fill(0)
  const end = Date.now() + milliseconds
  const path = (w: number) => `/v2/zones/${zone.id}/recordsets/${sets[w]!.id}`
  const write = async (w: number) => {
    while (Date.now() < end) {
      const state = begun[w]! + 1
      begun[w] = state
      const { status, text } = await api.put(path(w), { records: recordsOf(state) })
      equal(status, 202, text)
      const shown = (await api.get<ShownSet>(path(w))).body
      if (shown.status === 'ACTIVE') active[w] = state
    }
  }
  const asked: number[] = []
  const read = async (r: number) => {
    const socket = createSocket('udp4')
    await new Promise<void>((resolve) => socket.connect(port(), '127.0.0.1', resolve))
    const seen = new Array<number>(writers).fill(0)
    let count = 0
    try {
      for (let id = 1; Date.now() < end; id = (id % 65_535) + 1) {
        const w = (r + id) % writers
        const least = Math.max(seen[w]!, active[w]!)
        const reply = await new Promise<Buffer>((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error('no reply')), 3000)
          socket.once('message', (message) => {
            clearTimeout(timer)
            resolve(message)
          })
          socket.send(query(`w${w}.busy.example.`, 'A', { id }))
        })
        const { answer, id: answered } = decodeMessage(reply)
        equal(answered, id)
        const states = answer.map(({ rdata }) => (rdata[2]! << 8) | rdata[3]!)
        const [state] = states
        deepEqual([states.length, new Set(states).size], [3, 1], `records of one state, not of ${states}`)
        ok(state! >= least, `w${w} is at ${state} after ${least} was seen or told to be served`)
        ok(state! <= begun[w]!, `w${w} is at ${state}, and ${begun[w]} is the newest there can be`)
        seen[w] = state!
        count++
      }
    } finally {
      socket.close()
    }
    asked.push(count)
  }
  await Promise.all([
    ...Array.from({ length: writers }, (_, w) => write(w)),
    ...Array.from({ length: readers }, (_, r) => read(r)),
  ])
  ok(Math.min(...begun) > 5 && Math.min(...asked) > 50, `${begun} written, ${asked} asked`)
  ok(Math.max(...active) > 0, 'none was ever told to be served')
})
