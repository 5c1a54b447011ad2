import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  DatabaseUnavailable,
  empty,
  type MigrationTx,
  type Row,
  type Sql,
  TransactionSpoiled,
  UniqueViolation,
  type Value,
} from './sql.ts'

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

  async values(query: Sql): Promise<unknown[][]> {
    return this.#run(query, valuesOf)
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
