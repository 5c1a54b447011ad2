import type { MessagePort } from 'node:worker_threads'
import type { Sql } from 'sql-template-tag'
import type { Trigrams } from './trigrams.ts'

export { default as sql, empty, join, raw, type Sql } from 'sql-template-tag'

export type Value = string | number | null | Uint8Array
export type Row = Record<string, unknown>

/** What a statement is to an engine: its text with `?` or `$n` for values, and the values. */
export type Statement = Pick<Sql, 'sql' | 'text' | 'values'>

const texts = new WeakMap<TemplateStringsArray, { readonly sql: string; readonly text: string }>()

/** As `sql`, for a statement of values alone that runs often: its text is made once. It cannot be a part of another. */
export function statement(strings: TemplateStringsArray, ...values: Value[]): Statement {
  let made = texts.get(strings)
  if (made === undefined) {
    made = { sql: strings.join('?'), text: strings.reduce((all, piece, i) => `${all}$${i}${piece}`) }
    texts.set(strings, made)
  }
  return { sql: made.sql, text: made.text, values }
}

/** One open transaction. Everything a request reads or writes goes through the one it was handed. */
export interface Tx {
  /** The first row, or undefined when there is none. */
  get<T = Row>(query: Statement): Promise<T | undefined>
  /** Every row, in the order of the query. */
  all<T = Row>(query: Statement): Promise<T[]>
  /** Every row as its values in the order of the select: cheaper than `all` for many rows. */
  values(query: Statement): Promise<unknown[][]>
  /** Runs a statement and tells how many rows it changed. */
  run(query: Statement): Promise<number>
  /** What to put behind a select to lock its rows: `for update`, or nothing where there is one writer anyway. */
  readonly forUpdate: Sql
  /** For the few things that engines are told in different ways. On SQLite nobody else writes until this transaction ends. */
  readonly engine: Engine
  /** How rows are found by a piece of their text; for searches. */
  readonly trigrams: Trigrams
  /** Once this transaction is durable, tells followers in every process that something of this name changed. A hint: rows are the truth. */
  wake(topic: string): void
}

/** A transaction that may also run a script of several statements. */
export interface MigrationTx extends Tx {
  script(text: string): Promise<void>
}

export type Engine = 'sqlite' | 'postgres'

/** A store of rows: the same SQL text on every engine, one transaction a call. */
export interface Database {
  readonly engine: Engine
  /** Runs `work` on a consistent snapshot; never waits for a writer. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** As read, for work that may take long: other requests do not wait for it. */
  scan<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs `work` in a transaction and resolves once it is durable. On a conflict with another writer
   * `work` runs again from the start, so it must do nothing but use `tx`.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** A write that excludes every other `alone` of any process on this database; for migrations. */
  alone<T>(work: (tx: MigrationTx) => Promise<T>): Promise<T>
  /** Calls `listener` with topics that were woken, soon after; may miss some and repeat some. Returns how to stop it. */
  follow(listener: (topics: readonly string[]) => void): () => void
  /** How another thread of this process opens the same store, with `openLinked`; its port is to be transferred. */
  link(): StoreLink
  /** Waits for what is in flight, then lets go of files and connections. */
  close(): Promise<void>
}

/** The way for another thread to the store that this one has open. */
export type StoreLink =
  | { readonly url: string }
  | { readonly path: string; readonly port: MessagePort; readonly awaited: Int32Array }

/** The database cannot be reached now; the request may be tried again. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown, message = 'the database cannot be reached') {
    super(message, { cause })
    this.name = 'DatabaseUnavailable'
  }
}

/** The database is there, but took longer than it is waited for. */
export class DatabaseOverdue extends DatabaseUnavailable {
  constructor(cause: unknown, milliseconds: number) {
    super(cause, `the database took longer than ${milliseconds / 1000} seconds`)
    this.name = 'DatabaseOverdue'
  }
}

/** A row with the same unique value exists. Whoever catches it must still refuse: the transaction cannot commit. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super('a row with the same unique value exists', { cause })
    this.name = 'UniqueViolation'
  }
}

/** A statement of this transaction failed, so nothing more of it can be done or kept. */
export class TransactionSpoiled extends Error {
  constructor(cause: unknown) {
    super('a statement of this transaction failed, so it cannot commit', { cause })
    this.name = 'TransactionSpoiled'
  }
}
