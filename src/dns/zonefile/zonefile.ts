import type { ZoneFileRecord } from './entry.ts'
import type { ZoneFileFault } from './fault.ts'
import type { Chunk } from './intake.ts'
import { type ZoneFileBatch, type ZoneFileLimits, ZoneFileParser } from './parser.ts'

/** Chunks that are there. */
export type Chunks = Chunk | Iterable<Chunk>
/** Chunks that are there or come. */
export type AsyncChunks = Chunks | AsyncIterable<Chunk>

/** Options of `parseZoneFile`; `include` gives the text of an included file, or throws an Error that says why not. */
export type ZoneFileOptions = ZoneFileLimits & { readonly include?: (file: string) => Chunks }
/** Options of `readZoneFile`; `include` may take its time. */
export type ZoneFileReadOptions = ZoneFileLimits & {
  readonly include?: (file: string) => AsyncChunks | Promise<AsyncChunks>
}

/** A whole zone file: its records, the first faults, and how many faults there are. */
export type ZoneFile = {
  readonly records: readonly ZoneFileRecord[]
  readonly faults: readonly ZoneFileFault[]
  readonly faultCount: number
}

const NOT_INCLUDED = '$INCLUDE must not be used here: put the text of the file in its place'

/** Reads a zone file that fits in memory. Whatever it is given, it answers with records and faults. */
export function parseZoneFile(chunks: Chunks, options: ZoneFileOptions = {}): ZoneFile {
  const records: ZoneFileRecord[] = []
  const faults: ZoneFileFault[] = []
  let faultCount = 0
  for (const batch of zoneFileBatches(chunks, options)) {
    for (const record of batch.records) records.push(record)
    faults.push(...batch.faults)
    faultCount = batch.faultCount
  }
  return { records, faults, faultCount }
}

/** Reads a zone file of any length in constant memory, batch by batch. */
export function* zoneFileBatches(chunks: Chunks, options: ZoneFileOptions = {}): Generator<ZoneFileBatch, void> {
  const parser = new ZoneFileParser(options)
  const sources = [iterate(chunks)]
  try {
    for (;;) {
      switch (parser.run()) {
        case 'chunk': {
          const next = sources.at(-1)!.next()
          if (next.done) parser.finish()
          else parser.add(next.value)
          break
        }
        case 'include':
          try {
            if (options.include === undefined) parser.refuse(NOT_INCLUDED)
            else {
              sources.push(iterate(options.include(parser.wanted)))
              parser.enter()
            }
          } catch (error) {
            parser.refuse(reason(parser.wanted, error))
          }
          break
        case 'batch':
          yield parser.take()
          break
        case 'left':
          sources.pop()
          break
        case 'done':
          yield parser.take()
          return
      }
    }
  } finally {
    for (const source of sources) source.return?.()
  }
}

/** Reads a zone file of any length, as it comes, in constant memory, batch by batch. */
export async function* readZoneFile(
  chunks: AsyncChunks,
  options: ZoneFileReadOptions = {},
): AsyncGenerator<ZoneFileBatch, void> {
  const parser = new ZoneFileParser(options)
  const sources = [iterateAsync(chunks)]
  try {
    for (;;) {
      switch (parser.run()) {
        case 'chunk': {
          const next = await sources.at(-1)!.next()
          if (next.done) parser.finish()
          else parser.add(next.value)
          break
        }
        case 'include':
          try {
            if (options.include === undefined) parser.refuse(NOT_INCLUDED)
            else {
              sources.push(iterateAsync(await options.include(parser.wanted)))
              parser.enter()
            }
          } catch (error) {
            parser.refuse(reason(parser.wanted, error))
          }
          break
        case 'batch':
          yield parser.take()
          break
        case 'left':
          sources.pop()
          break
        case 'done':
          yield parser.take()
          return
      }
    }
  } finally {
    for (const source of sources) await source.return?.()
  }
}

function iterate(chunks: Chunks): Iterator<Chunk> {
  return (typeof chunks === 'string' || chunks instanceof Uint8Array ? [chunks] : chunks)[Symbol.iterator]()
}

function iterateAsync(chunks: AsyncChunks): Iterator<Chunk> | AsyncIterator<Chunk> {
  if (typeof chunks === 'object' && Symbol.asyncIterator in chunks) return chunks[Symbol.asyncIterator]()
  return iterate(chunks)
}

function reason(file: string, error: unknown): string {
  return `${file} cannot be included: ${error instanceof Error ? error.message : String(error)}`
}
