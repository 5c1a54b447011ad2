import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { PostgresWakes } from './postgres-wakes.ts'
import {
  type Database,
  DatabaseOverdue,
  DatabaseUnavailable,
  type MigrationTx,
  type Row,
  type Statement,
  sql,
  TransactionSpoiled,
  UniqueViolation,
} from './sql.ts'
import { noTrigrams, pgTrigrams } from './trigrams.ts'

const attempts = 8
const patience = 30_000
const migrationLock = 7_265_110
// Whoever stands still in the midst of a write must not keep others from what it has locked.
const beginWrite = "begin; set local idle_in_transaction_session_timeout = '10s'"

// int8 counts and serials fit a JavaScript number; pg hands them over as text otherwise.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

/** Opens PostgreSQL (or what speaks its protocol) behind the same interface as the embedded store. */
export function openPostgres(url: string, onIdleError: (error: Error) => void): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 16,
    connectionTimeoutMillis: 3000,
    idleTimeoutMillis: 60_000,
    statement_timeout: patience,
    keepAlive: true,
    application_name: 'nameplane',
    types,
  })
  // A server that restarts ends idle connections; the pool opens new ones when they are needed.
  pool.on('error', onIdleError)
  const wakes = new PostgresWakes(url, (text, values) => pool.query(text, values))

  async function transaction<T>(begin: string, work: (tx: ClientTx) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    // A connection lost between two statements is told as an event; the next statement fails anyway.
    client.on('error', ignore)
    const tx = new ClientTx(client)
    let broken = false
    try {
      await client.query(begin)
      const value = await work(tx)
      tx.mustBeWhole()
      await client.query('commit')
      wakes.tell(tx.woken)
      return value
    } catch (error) {
      broken = isConnectionLost(error) || isStalePlan(error) || !(await rolledBack(client))
      throw error
    } finally {
      tx.end()
      client.off('error', ignore)
      client.release(broken)
    }
  }

  async function retried<T>(begin: string, work: (tx: ClientTx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await transaction(begin, work)
      } catch (error) {
        if (isOverdue(error)) throw new DatabaseOverdue(error, patience)
        if (isConnectionLost(error)) throw new DatabaseUnavailable(error)
        if (!isConflict(error) && !isStalePlan(error)) throw error
        if (attempt === attempts) throw new DatabaseUnavailable(error)
        await sleep(Math.random() * 2 ** attempt)
      }
    }
  }

  let hasTrigrams = false
  return {
    engine: 'postgres',
    read: (work) => retried('begin isolation level repeatable read read only', work),
    scan: (work) =>
      retried(beginSearch, async (tx) => {
        hasTrigrams ||= (await tx.get(trigramIndex)) !== undefined
        if (hasTrigrams) tx.trigrams = pgTrigrams
        return work(tx)
      }),
    write: (work) => retried(beginWrite, work),
    alone: (work) =>
      retried('begin', async (tx) => {
        await tx.script(`set local statement_timeout = 0; select pg_advisory_xact_lock(${migrationLock})`)
        return work(tx)
      }),
    follow: (listener) => wakes.follow(listener),
    link: () => ({ url }),
    async close() {
      await wakes.close()
      await pool.end()
    },
  }
}

/** The view of a connection that one piece of work gets; of no use once that work is done. */
class ClientTx implements MigrationTx {
  readonly forUpdate = forUpdate
  readonly engine = 'postgres'
  trigrams = noTrigrams
  readonly woken: string[] = []
  readonly #client: pg.PoolClient
  #open = true
  #failure: unknown

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  async get<T = Row>(query: Statement): Promise<T | undefined> {
    return (await this.#query(query)).rows[0] as T | undefined
  }

  async all<T = Row>(query: Statement): Promise<T[]> {
    return (await this.#query(query)).rows as T[]
  }

  async values(query: Statement): Promise<unknown[][]> {
    return (await this.#query(query, 'array')).rows as unknown[][]
  }

  async run(query: Statement): Promise<number> {
    return (await this.#query(query)).rowCount ?? 0
  }

  async script(text: string): Promise<void> {
    await this.#client.query(inPostgres(text))
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

  async #query(query: Statement, rowMode?: 'array'): Promise<pg.QueryResult> {
    if (!this.#open) throw new Error(`this transaction is over: ${query.sql}`)
    this.mustBeWhole()
    const { text, values } = query
    const name = statementName(text)
    try {
      return await this.#client.query({ text, values, ...(name && { name }), ...(rowMode && { rowMode }) })
    } catch (error) {
      this.#failure = codeOf(error) === '23505' ? new UniqueViolation(error) : error
      throw this.#failure
    }
  }
}

const forUpdate = sql`for update`

// What is the best way to search depends on what is searched for. A page from deep inside is never the beginning of a merge:
// PostgreSQL would read what is joined from its very end, hundreds of thousands of rows, to come to where the page is.
const beginSearch = [
  'begin isolation level repeatable read read only',
  'set local plan_cache_mode = force_custom_plan',
  'set local enable_mergejoin = off',
].join('; ')
const trigramIndex = sql`select 1 as one from pg_class where oid = to_regclass('zone_names_trigrams')`

const statementNames = new Map<string, string>()

/** One prepared statement per text and connection; beyond a bound, texts are sent unprepared. */
function statementName(text: string): string | undefined {
  const known = statementNames.get(text)
  if (known !== undefined || statementNames.size >= 500) return known
  const name = `s${statementNames.size}`
  statementNames.set(text, name)
  return name
}

/** Migrations are written once: here text sorts by code point, as it does in SQLite. */
function inPostgres(script: string): string {
  return script.replaceAll(/^(\s+\w+ )text\b/gm, '$1text collate "C"').replaceAll(/^(\s+\w+ )blob\b/gm, '$1bytea')
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback')
    return true
  } catch {
    return false
  }
}

const ignore = () => {}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

/** Serialisation failure and deadlock: the same work, tried again, may pass. */
const isConflict = (error: unknown): boolean => codeOf(error) === '40001' || codeOf(error) === '40P01'

/** A prepared statement met a table that was changed since: it must be prepared anew, on another connection. */
const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === '0A000' && /^cached plan/.test((error as Error).message)

/** The statement ran into `statement_timeout`. */
const isOverdue = (error: unknown): boolean => codeOf(error) === '57014'

const socketTrouble = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** The server is away, starting, stopping, full or tired of waiting: class 08, 53, 57P0x, 25P03, socket trouble, and pg's own words for it. */
function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (socketTrouble.has(code) || /^(08|53)...$|^57P0[1-5]$|^25P03$/.test(code)) return true
  const message = error instanceof Error ? error.message : ''
  return /^Connection terminated|timeout exceeded when trying to connect|^Client has encountered a connection error|not queryable/.test(
    message,
  )
}
