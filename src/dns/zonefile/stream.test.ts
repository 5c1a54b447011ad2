import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { WINDOW } from './intake.ts'
import { parseZoneFile, readZoneFile, type ZoneFileReadOptions, zoneFileBatches } from './zonefile.ts'

const LINE = 'host A 192.0.2.1\n'

async function collect(
  chunks: Parameters<typeof readZoneFile>[0],
  options: ZoneFileReadOptions = { origin: '.', ttl: 1 },
) {
  const records = []
  const faults = []
  for await (const batch of readZoneFile(chunks, options)) {
    records.push(...batch.records)
    faults.push(...batch.faults)
  }
  return { records, faults }
}

async function* later<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) {
    await null
    yield item
  }
}

test('[F27] a stream gives the same as the whole, whatever the chunks are', async () => {
  const text = `a TXT "grün 🦊" (\n b ) ; c\nwrong\n${LINE.repeat(10)}`
  const whole = parseZoneFile(text, { origin: '.', ttl: 1 })
  const bytes = Buffer.from(text)
  const cuts: (string | Uint8Array)[][] = [
    [text],
    [...text],
    text.split(''),
    [bytes],
    Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)),
  ]
  for (const chunks of cuts) {
    const { records, faults } = await collect(later(chunks))
    deepEqual({ records, faults, faultCount: 1 }, whole)
    deepEqual(await collect(chunks), { records, faults })
  }
})

test('[F27] half a character at the end of a text is a replacement character, as everywhere', () => {
  deepEqual(
    parseZoneFile(['a TXT "\ud83e', '"'], { origin: '.', ttl: 1 }),
    parseZoneFile('a TXT "\ufffd"', { origin: '.', ttl: 1 }),
  )
  deepEqual(
    parseZoneFile(['a TXT \ud83e'], { origin: '.', ttl: 1 }),
    parseZoneFile('a TXT \ufffd', { origin: '.', ttl: 1 }),
  )
})

test('[F27] records come in batches of bounded size with progress', () => {
  const text = LINE.repeat(50_000)
  let bytes = 0
  let records = 0
  let batches = 0
  for (const batch of zoneFileBatches(text, { origin: '.', ttl: 1 })) {
    equal(batch.records.length <= 4096, true)
    equal(batch.bytes >= bytes, true)
    bytes = batch.bytes
    records += batch.records.length
    batches++
  }
  equal(bytes, text.length)
  equal(records, 50_000)
  equal(batches > 10, true)
})

test('[F27] $GENERATE comes in batches too', () => {
  const sizes = [...zoneFileBatches('$GENERATE 1-10000 a$ A 192.0.2.1', { origin: '.', ttl: 1 })].map(
    ({ records }) => records.length,
  )
  equal(
    sizes.reduce((sum, size) => sum + size),
    10_000,
  )
  equal(Math.max(...sizes) <= 4096, true)
})

test('[F27] memory does not grow with the file', async () => {
  async function* endless(): AsyncGenerator<string> {
    for (let i = 0; i < 200; i++) yield LINE.repeat(2000)
  }
  const used: number[] = []
  for await (const _ of readZoneFile(endless(), { origin: '.', ttl: 1 })) used.push(process.memoryUsage().heapUsed)
  const least = (part: number[]) => Math.min(...part)
  const tenth = Math.floor(used.length / 10)
  equal(least(used.slice(-tenth)) - least(used.slice(0, tenth)) < 20_000_000, true)
})

test('[F15] an included file may come later and in chunks', async () => {
  const { records, faults } = await collect('$INCLUDE a\nb A 192.0.2.2\n$INCLUDE none\n', {
    origin: '.',
    ttl: 1,
    include: async (file) => {
      await null
      if (file !== 'a') throw new Error('no such file')
      return later(['a A 19', '2.0.2.1'])
    },
  })
  deepEqual(
    records.map(({ name }) => name),
    ['a.', 'b.'],
  )
  deepEqual(faults, [{ line: 3, column: 10, message: 'none cannot be included: no such file' }])
})

test('a source that fails is the caller’s to hear about, and is closed when reading stops early', async () => {
  let closed = 0
  async function* broken(): AsyncGenerator<string> {
    try {
      yield LINE.repeat(WINDOW)
      throw new Error('disk')
    } finally {
      closed++
    }
  }
  await rejects(collect(broken()), /disk/)
  for await (const _ of readZoneFile(broken(), { origin: '.', ttl: 1 })) break
  equal(closed, 2)
})

test('a source of chunks is closed when reading stops early', () => {
  let closed = false
  function* source(): Generator<string> {
    try {
      for (;;) yield LINE.repeat(WINDOW)
    } finally {
      closed = true
    }
  }
  for (const _ of zoneFileBatches(source(), { origin: '.', ttl: 1 })) break
  equal(closed, true)
})
