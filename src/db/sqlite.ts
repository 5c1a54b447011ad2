import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, MigrationTx, Tx } from './sql.ts'
import { Connection, ConnectionTx, closed, translated } from './sqlite-connection.ts'
import { GroupCommit } from './sqlite-group-commit.ts'
import { Scanners } from './sqlite-scanners.ts'
import { giveTurns } from './sqlite-turns.ts'
import { Wakes } from './wakes.ts'

const maxReaders = 16
const [noCheckpoint, checkpointPages] = [0, 4000]

/** Opens the embedded store: one writer that groups commits, and readers that never wait for it. */
export function openSqlite(path: string): Database {
  const writer = new Connection(path, false)
  // Pages that are written again and again are moved from the log to the database once for many times.
  writer.exec(`pragma wal_autocheckpoint = ${checkpointPages}`)
  const wakes = new Wakes()
  const commits = new GroupCommit(writer, wakes)
  const readers = new Readers(path)
  const scanners = new Scanners(path)
  let [links, isClosed] = [0, false]
  return {
    engine: 'sqlite',
    read: (work) => readers.use(work),
    scan: (work) => scanners.use(work),
    write: (work) => commits.submit(work),
    alone: (work) => commits.submit((tx) => work(tx as MigrationTx)),
    follow: (listener) => wakes.follow(listener),
    link: () => {
      // A thread that writes much keeps the log short itself: otherwise whoever commits here would have to.
      links += 1
      writer.exec(`pragma wal_autocheckpoint = ${noCheckpoint}`)
      const unlink = () => {
        links -= 1
        if (links === 0 && !isClosed) writer.exec(`pragma wal_autocheckpoint = ${checkpointPages}`)
      }
      return { path, ...giveTurns(commits, wakes, unlink) }
    },
    async close() {
      await commits.close()
      await readers.close()
      await scanners.close()
      isClosed = true
      writer.close()
    },
  }
}

/** Runs read work on snapshots, each on a connection of its own while it lasts. */
export class Readers {
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
