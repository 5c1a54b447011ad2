import { Worker } from 'node:worker_threads'
import { workerUrl } from '../worker-url.ts'
import { type LinkedStore, openLinked } from './link.ts'
import { DatabaseUnavailable, type StoreLink, type Value } from './sql.ts'

/** A statement that goes to another thread, and how many rows it is to change. */
export type FillStep = {
  readonly sql: string
  readonly text: string
  readonly values: readonly Value[]
  readonly expected: number
}
/** Statements that belong together: where one does not change what was expected, the next are left out. */
export type FillBlock = readonly FillStep[]

/** How many rows each statement of each block changed, of those blocks that were written. */
export type Filled = readonly (readonly number[])[]

export type FillRequest = { readonly id: number; readonly blocks: readonly FillBlock[] }
export type FillAnswer = { readonly id: number } & ({ readonly filled: Filled } | { readonly error: FillError })
export type FillError = { readonly message: string; readonly isPassing: boolean }

/** The longer a turn, the longer its commit, which whoever comes meanwhile waits for. */
const turnMilliseconds = 30

/** Writes blocks in one turn, at least one of them; it ends early once others wait. */
export const fillIn = (store: Pick<LinkedStore, 'bulk'>, blocks: readonly FillBlock[]): Promise<Filled> =>
  store.bulk(async (tx, isAwaited) => {
    const filled: number[][] = []
    const began = performance.now()
    for (const block of blocks) {
      const counts: number[] = []
      for (const step of block) {
        counts.push(await tx.run({ ...step, values: [...step.values] }))
        if (counts.at(-1) !== step.expected) break
      }
      filled.push(counts)
      if (isAwaited() || performance.now() - began > turnMilliseconds) break
    }
    return filled
  })

/** Writes in bulk while this thread does something else: SQLite in a thread of its own, PostgreSQL is one anyway. */
export class Filler {
  readonly #link: StoreLink
  readonly #asked = new Map<number, { resolve(filled: Filled): void; reject(error: Error): void }>()
  #store: LinkedStore | undefined
  #worker: Worker | undefined
  #last = 0

  constructor(link: StoreLink) {
    this.#link = link
  }

  fill(blocks: readonly FillBlock[]): Promise<Filled> {
    if ('url' in this.#link) {
      this.#store ??= openLinked(this.#link, () => {})
      return fillIn(this.#store, blocks)
    }
    this.#worker ??= this.#start(this.#link)
    return new Promise((resolve, reject) => {
      const id = this.#last++
      this.#asked.set(id, { resolve, reject })
      this.#worker!.postMessage({ id, blocks } satisfies FillRequest)
    })
  }

  async close(): Promise<void> {
    await this.#store?.close()
    if (this.#worker !== undefined) await this.#worker.terminate()
    else if ('port' in this.#link) this.#link.port.close()
  }

  #start(link: Extract<StoreLink, { path: string }>): Worker {
    const worker = new Worker(workerUrl(import.meta.url, 'fill-worker'), {
      workerData: link,
      transferList: [link.port],
    })
    worker.on('message', (answer: FillAnswer) => {
      const asked = this.#asked.get(answer.id)
      this.#asked.delete(answer.id)
      if ('filled' in answer) asked?.resolve(answer.filled)
      else asked?.reject(thrown(answer.error))
    })
    worker.on('error', (error) => this.#ended(error as Error))
    worker.on('exit', () => this.#ended(new Error('the thread that writes in bulk has ended')))
    return worker
  }

  #ended(error: Error): void {
    for (const { reject } of this.#asked.values()) reject(new DatabaseUnavailable(error))
    this.#asked.clear()
  }
}

const thrown = ({ message, isPassing }: FillError): Error =>
  isPassing ? new DatabaseUnavailable(new Error(message)) : new Error(message)
