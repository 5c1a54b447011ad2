import { deepEqual, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { ArenaLink } from './support/arena-links.ts'

const thread = (name: string, workerData: unknown, transferList: ArenaLink['port'][] = []) =>
  new Worker(new URL(`./support/${name}.ts`, import.meta.url), { workerData, transferList })

type Seen = { fast: number; general: number; refused: number; faults: string[]; again: number; newest: number[] }
type Written = { changes: number; created: number; generations: number[] }

test('threads that read while another writes see one state of a zone in each answer, and never an older one again', async () => {
  const zones = 30
  const milliseconds = 4000
  const writer = thread('arena-writer-thread', { zones, readers: 2, milliseconds })
  const [links] = (await once(writer, 'message')) as [ArenaLink[]]
  const written = once(writer, 'message') as Promise<[Written]>
  const readers = links.map((link) => thread('arena-reader-thread', { link, zones, milliseconds }, [link.port]))
  const seen = await Promise.all(readers.map(async (reader) => ((await once(reader, 'message')) as [Seen])[0]))
  const [{ changes, created, generations }] = await written
  await Promise.all([writer, ...readers].map((worker) => worker.terminate()))
  deepEqual(
    seen.map(({ faults }) => faults),
    [[], []],
  )
  ok(changes > 1000 && created > 1000, `${changes} changes, ${created} zones`)
  for (const { fast, general, again, newest } of seen) {
    ok(fast > 1000 && general > 100 && again > 100, `${fast} fast, ${general} general, ${again} given again`)
    ok(
      newest.every((generation, i) => generation > 1 && generation <= generations[i]!),
      'what was seen is what was written',
    )
  }
})
