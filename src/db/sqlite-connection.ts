import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  DatabaseUnavailable,
  empty,
  type MigrationTx,
  type Row,
  type Statement,
  TransactionSpoiled,
  UniqueViolation,
  type Value,
} from './sql.ts'
import { fts5Trigrams } from './trigrams.ts'

/** How long work waits for another process that holds the file's one write lock. */
export const patienceMilliseconds = 5000

/** One SQLite connection with its prepared statements, cached by text. */
export class Connection {
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
    this.prepare(text).get()
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

/** A statement's rows as arrays of their values. */
export function valuesOf(statement: StatementSync, values: readonly Value[]): unknown[][] {
  statement.setReturnArrays(true)
  try {
    return statement.all(...values) as unknown as unknown[][]
  } finally {
    statement.setReturnArrays(false)
  }
}

/** The view of a connection that one piece of work gets; of no use once that work is done. */
export class ConnectionTx implements MigrationTx {
  readonly forUpdate = empty
  readonly engine = 'sqlite'
  readonly trigrams = fts5Trigrams
  readonly woken: string[] = []
  readonly #connection: Connection
  #open = true
  #failure: unknown
  #hasWritten = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Whether there is something to undo. A statement that fails undoes itself. */
  get hasWritten(): boolean {
    return this.#hasWritten
  }

  async get<T = Row>(query: Statement): Promise<T | undefined> {
    return this.#read(query, get) as T | undefined
  }

  async all<T = Row>(query: Statement): Promise<T[]> {
    return this.#read(query, all) as T[]
  }

  async values(query: Statement): Promise<unknown[][]> {
    return this.#read(query, valuesOf)
  }

  async run(query: Statement): Promise<number> {
    const changes = this.#run(query.sql, query.values as Value[], run)
    if (changes > 0) this.#hasWritten = true
    return changes
  }

  async script(text: string): Promise<void> {
    this.#hasWritten = true
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

  /** What is no select may be a write that returns rows. */
  #read<T>(query: Statement, work: (statement: StatementSync, values: Value[]) => T): T {
    const text = query.sql
    const found = this.#run(text, query.values as Value[], work)
    if (!this.#hasWritten && !/^\s*select\b/.test(text)) this.#hasWritten = true
    return found
  }

  #run<T>(text: string, values: Value[], work: (statement: StatementSync, values: Value[]) => T): T {
    if (!this.#open) throw new Error(`this transaction is over: ${text}`)
    this.mustBeWhole()
    try {
      return work(this.#connection.prepare(text), values)
    } catch (error) {
      this.#failure = translated(error)
      throw this.#failure
    }
  }
}

const get = (statement: StatementSync, values: Value[]): unknown => statement.get(...values)
const all = (statement: StatementSync, values: Value[]): unknown => statement.all(...values)
const run = (statement: StatementSync, values: Value[]): number => Number(statement.run(...values).changes)

// Primary result codes (the low byte) of trouble that may pass: SQLITE_BUSY, _IOERR, _FULL, _CANTOPEN.
const passing = new Set([5, 10, 13, 14])
// SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE.
const unique = new Set([1555, 2067])

const codeOf = (error: unknown): number | undefined => (error as { errcode?: number }).errcode

export const isBusy = (error: unknown): boolean => ((codeOf(error) ?? 0) & 0xff) === 5

export const closed = () => new DatabaseUnavailable(new Error('the store is closed'))

export function translated(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  if (unique.has(code)) return new UniqueViolation(error)
  return passing.has(code & 0xff) ? new DatabaseUnavailable(error) : error
}
