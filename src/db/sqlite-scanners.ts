import { Worker } from 'node:worker_threads'
import { workerUrl } from '../worker-url.ts'
import { DatabaseUnavailable, empty, type Row, type Statement, type Tx } from './sql.ts'
import { closed, translated } from './sqlite-connection.ts'
import { fts5Trigrams } from './trigrams.ts'

/** How many threads there are for reading that may take long. */
export const scanThreads = 6
const maxWaiting = 256

export type ScanRequest = {
  readonly id: number
  readonly how: 'get' | 'all' | 'values' | 'step'
  readonly text: string
  readonly values: readonly unknown[]
}
export type ScanAnswer = {
  readonly id: number
  readonly value?: unknown
  readonly error?: { readonly message: string; readonly errcode: number | undefined }
}

/** Runs read work that may take long on threads of its own, so that the thread of the API stays free. */
export class Scanners {
  readonly #path: string
  readonly #idle: Scanner[] = []
  readonly #all = new Set<Scanner>()
  readonly #waiting: ((scanner: Scanner) => void)[] = []
  #closed = false

  constructor(path: string) {
    this.#path = path
  }

  async use<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#closed) throw closed()
    const scanner = await this.#free()
    try {
      await scanner.ask('step', 'begin')
      return await work(scanner)
    } finally {
      await scanner.ask('step', 'rollback').catch(() => {})
      this.#release(scanner)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#all].map((scanner) => scanner.close()))
  }

  async #free(): Promise<Scanner> {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#all.size < scanThreads) return this.#another()
    if (this.#waiting.length >= maxWaiting) throw new DatabaseUnavailable(new Error('too many searches are waiting'))
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #another(): Scanner {
    const scanner = new Scanner(this.#path)
    this.#all.add(scanner)
    return scanner
  }

  #release(scanner: Scanner): void {
    if (scanner.hasEnded) this.#all.delete(scanner)
    const next = this.#waiting.shift()
    if (next) next(scanner.hasEnded ? this.#another() : scanner)
    else if (!scanner.hasEnded) this.#idle.push(scanner)
  }
}

/** One thread with a connection of its own; asked like a transaction, answers in turn. */
class Scanner implements Tx {
  readonly forUpdate = empty
  readonly engine = 'sqlite'
  readonly trigrams = fts5Trigrams
  readonly #worker: Worker
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  #last = 0
  #end: Error | undefined

  constructor(path: string) {
    this.#worker = new Worker(workerUrl(import.meta.url, 'sqlite-scan-worker'), { workerData: path })
    this.#worker.unref()
    this.#worker.on('message', ({ id, value, error }: ScanAnswer) => {
      const asked = this.#asked.get(id)
      this.#asked.delete(id)
      if (error === undefined) asked?.resolve(value)
      else asked?.reject(translated(Object.assign(new Error(error.message), { errcode: error.errcode })))
      if (this.#asked.size === 0) this.#worker.unref()
    })
    this.#worker.on('error', (error) => this.#ended(error as Error))
    this.#worker.on('exit', () => this.#ended(new Error('the search thread has ended')))
  }

  /** Whether its thread is gone, so that it answers nothing more. */
  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  ask(how: ScanRequest['how'], text: string, values: readonly unknown[] = []): Promise<unknown> {
    if (this.#end) return Promise.reject(new DatabaseUnavailable(this.#end))
    return new Promise((resolve, reject) => {
      this.#last += 1
      this.#asked.set(this.#last, { resolve, reject })
      this.#worker.ref()
      this.#worker.postMessage({ id: this.#last, how, text, values } satisfies ScanRequest)
    })
  }

  get<T = Row>(query: Statement): Promise<T | undefined> {
    return this.ask('get', query.sql, query.values) as Promise<T | undefined>
  }

  all<T = Row>(query: Statement): Promise<T[]> {
    return this.ask('all', query.sql, query.values) as Promise<T[]>
  }

  values(query: Statement): Promise<unknown[][]> {
    return this.ask('values', query.sql, query.values) as Promise<unknown[][]>
  }

  run(): Promise<number> {
    throw new Error('a search cannot write')
  }

  wake(): void {
    throw new Error('a search cannot write')
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #ended(error: Error): void {
    this.#end ??= error
    for (const { reject } of this.#asked.values()) reject(new DatabaseUnavailable(error))
    this.#asked.clear()
  }
}
