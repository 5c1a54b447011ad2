import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import {
  type Database,
  DatabaseUnavailable,
  empty,
  type MigrationTx,
  type Row,
  type Sql,
  TransactionSpoiled,
  type Tx,
  UniqueViolation,
  type Value,
} from './sql.ts'
import { Wakes } from './wakes.ts'

const maxReaders = 16
const maxBatch = 256
const maxBatchMilliseconds = 20
/** How long a write waits for another process that holds the file's one write lock. */
const patienceMilliseconds = 5000

/** Opens the embedded store: one writer that groups commits, and readers that never wait for it. */
export function openSqlite(path: string): Database {
  const writer = new Connection(path, false)
  const wakes = new Wakes()
  const commits = new GroupCommit(writer, wakes)
  const readers = new Readers(path)
  return {
    engine: 'sqlite',
    read: (work) => readers.use(work),
    write: (work) => commits.submit(work),
    alone: (work) => commits.submit((tx) => work(tx as MigrationTx)),
    follow: (listener) => wakes.follow(listener),
    async close() {
      await commits.close()
      await readers.close()
      writer.close()
    },
  }
}

/** One SQLite connection with its prepared statements, cached by text. */
class Connection {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string, readOnly: boolean) {
    this.#db = new DatabaseSync(path, { readOnly, timeout: patienceMilliseconds })
    this.#db.exec(
      'pragma foreign_keys = on; pragma case_sensitive_like = on; pragma temp_store = memory; pragma cache_size = -32768',
    )
    // SQLite waits by blocking the thread; from here on the writer waits by trying again, so that reads go on.
    if (!readOnly) this.#db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 0')
  }

  prepare(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (!statement) {
      statement = this.#db.prepare(text)
      if (this.#statements.size >= 500) this.#statements.clear()
      this.#statements.set(text, statement)
    }
    return statement
  }

  step(text: string): void {
    this.prepare(text).run()
  }

  exec(text: string): void {
    this.#statements.clear()
    this.#db.exec(text)
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** Ends a transaction without keeping anything of it; SQLite may have done so itself after trouble with the disk. */
  rollback(): void {
    try {
      if (this.inTransaction) this.step('rollback')
    } catch (error) {
      if (this.inTransaction) throw error
    }
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }
}

/** The view of a connection that one piece of work gets; of no use once that work is done. */
class ConnectionTx implements MigrationTx {
  readonly forUpdate = empty
  readonly woken: string[] = []
  readonly #connection: Connection
  #open = true
  #failure: unknown

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async get<T = Row>(query: Sql): Promise<T | undefined> {
    return this.#run(query, (statement, values) => statement.get(...values)) as T | undefined
  }

  async all<T = Row>(query: Sql): Promise<T[]> {
    return this.#run(query, (statement, values) => statement.all(...values)) as T[]
  }

  async run(query: Sql): Promise<number> {
    return this.#run(query, (statement, values) => Number(statement.run(...values).changes))
  }

  async script(text: string): Promise<void> {
    this.#connection.exec(text)
  }

  wake(topic: string): void {
    this.woken.push(topic)
  }

  mustBeWhole(): void {
    if (this.#failure !== undefined) throw new TransactionSpoiled(this.#failure)
  }

  end(): void {
    this.#open = false
  }

  #run<T>(query: Sql, work: (statement: StatementSync, values: Value[]) => T): T {
    if (!this.#open) throw new Error(`this transaction is over: ${query.sql}`)
    this.mustBeWhole()
    try {
      return work(this.#connection.prepare(query.sql), query.values as Value[])
    } catch (error) {
      this.#failure = translated(error)
      throw this.#failure
    }
  }
}

/** Runs read work on snapshots, each on a connection of its own while it lasts. */
class Readers {
  readonly #path: string
  readonly #idle: Connection[] = []
  readonly #waiting: ((connection: Connection) => void)[] = []
  #open = 0
  #closed = false

  constructor(path: string) {
    this.#path = path
  }

  async use<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#closed) throw closed()
    const connection = this.#idle.pop() ?? (await this.#another())
    const tx = new ConnectionTx(connection)
    try {
      connection.step('begin')
      return await work(tx)
    } catch (error) {
      throw translated(error)
    } finally {
      tx.end()
      connection.rollback()
      this.#release(connection)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    while (this.#idle.length < this.#open) await nextTurn()
    for (const connection of this.#idle.splice(0)) connection.close()
    this.#open = 0
  }

  async #another(): Promise<Connection> {
    if (this.#open < maxReaders) {
      try {
        const connection = new Connection(this.#path, true)
        this.#open += 1
        return connection
      } catch (error) {
        throw translated(error)
      }
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #release(connection: Connection): void {
    const next = this.#waiting.shift()
    if (next) next(connection)
    else this.#idle.push(connection)
  }
}

type Job = { run(tx: ConnectionTx): Promise<() => void>; reject(error: unknown): void }

/**
 * Makes writes that wait together share one fsync.
 *
 * They run one after another inside one outer transaction, each in a savepoint of its own, so that one
 * failure undoes only its own work; nobody is told anything before the outer commit is on disk.
 */
class GroupCommit {
  readonly #connection: Connection
  readonly #wakes: Wakes
  #queue: Job[] = []
  #woken: string[] = []
  #draining: Promise<void> | undefined
  #closed = false

  constructor(connection: Connection, wakes: Wakes) {
    this.#connection = connection
    this.#wakes = wakes
  }

  submit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed())
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        run: async (tx) => {
          const value = await work(tx)
          tx.mustBeWhole()
          return () => resolve(value)
        },
        reject,
      })
      this.#draining ??= this.#drain()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#draining
  }

  async #drain(): Promise<void> {
    // A turn of the event loop first: requests that arrived together join the same batch.
    await nextTurn()
    while (this.#queue.length > 0) {
      await this.#batch()
      await nextTurn()
    }
    this.#draining = undefined
  }

  async #batch(): Promise<void> {
    const done: Job[] = []
    const settle: (() => void)[] = []
    this.#woken = []
    try {
      await this.#begin()
      const deadline = performance.now() + maxBatchMilliseconds
      while (this.#queue.length > 0 && done.length < maxBatch && performance.now() < deadline) {
        const job = this.#queue.shift()!
        done.push(job)
        settle.push(await this.#one(job))
      }
      this.#connection.step('commit')
    } catch (error) {
      const cause = new DatabaseUnavailable(error)
      for (const job of done.length > 0 ? done : this.#queue.splice(0)) job.reject(cause)
      this.#connection.rollback()
      return
    }
    for (const tell of settle) tell()
    this.#wakes.tell(this.#woken)
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + patienceMilliseconds
    for (let pause = 1; ; pause = Math.min(2 * pause, 50)) {
      try {
        return this.#connection.step('begin immediate')
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error
        await sleep(pause)
      }
    }
  }

  async #one(job: Job): Promise<() => void> {
    const tx = new ConnectionTx(this.#connection)
    this.#connection.step('savepoint job')
    try {
      const settle = await job.run(tx)
      this.#connection.step('release job')
      this.#woken.push(...tx.woken)
      return settle
    } catch (error) {
      // A full disk makes SQLite drop the whole transaction: then the batch as a whole has failed.
      if (!this.#connection.inTransaction) throw error
      this.#connection.step('rollback to job')
      this.#connection.step('release job')
      return () => job.reject(error)
    } finally {
      tx.end()
    }
  }
}

// Primary result codes (the low byte) of trouble that may pass: SQLITE_BUSY, _IOERR, _FULL, _CANTOPEN.
const passing = new Set([5, 10, 13, 14])
// SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE.
const unique = new Set([1555, 2067])

const codeOf = (error: unknown): number | undefined => (error as { errcode?: number }).errcode

const isBusy = (error: unknown): boolean => ((codeOf(error) ?? 0) & 0xff) === 5

const closed = () => new DatabaseUnavailable(new Error('the store is closed'))

function translated(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  if (unique.has(code)) return new UniqueViolation(error)
  return passing.has(code & 0xff) ? new DatabaseUnavailable(error) : error
}
