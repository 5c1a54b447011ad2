import type { MessagePort } from 'node:worker_threads'
import { openPostgres } from './postgres.ts'
import { type Database, type StoreLink, sql, type Tx } from './sql.ts'
import { Readers } from './sqlite.ts'
import { Connection, ConnectionTx, isBusy } from './sqlite-connection.ts'
import type { Asked, Told } from './sqlite-turns.ts'
import { Wakes } from './wakes.ts'

/** A store that this thread shares with the one that opened it. */
export type LinkedStore = Pick<Database, 'engine' | 'read' | 'write' | 'follow' | 'close'> & {
  /**
   * As write, for much that can be made again: should the machine lose power, it may be lost though it was done.
   * `isAwaited` tells that another waits for it to end.
   */
  bulk<T>(work: (tx: Tx, isAwaited: () => boolean) => Promise<T>): Promise<T>
}

/** Opens the store that another thread of this process has open. */
export function openLinked(link: StoreLink, onIdleError: (error: Error) => void): LinkedStore {
  if ('path' in link) return linkedSqlite(link)
  const { engine, read, write, follow, close } = openPostgres(link.url, onIdleError)
  const bulk: LinkedStore['bulk'] = (work) =>
    write(async (tx) => {
      await tx.run(sql`set local synchronous_commit = off`)
      return work(tx, () => false)
    })
  return { engine, read, write, follow, close, bulk }
}

/** How often what was written is moved from the log to the database itself. */
const checkpointMilliseconds = 1000

function linkedSqlite({ path, port, awaited }: Extract<StoreLink, { path: string }>): LinkedStore {
  const wakes = new Wakes()
  const readers = new Readers(path)
  const turns = new Turns(port, wakes)
  const careful = new Connection(path, false)
  careful.exec('pragma wal_autocheckpoint = 0')
  const quick = new Connection(path, false)
  // What is written in bulk is made by the program for rows that it has just written: there is nothing to look up.
  quick.exec(
    'pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma cache_size = -65536; pragma foreign_keys = off',
  )
  let checkpointed = performance.now()
  const checkpoint = () => {
    if (performance.now() - checkpointed < checkpointMilliseconds || quick.inTransaction) return
    checkpointed = performance.now()
    try {
      quick.step('pragma wal_checkpoint(passive)')
    } catch {
      // What is wrong with the disk is told to whoever writes.
    }
  }
  // Whoever has opened the store leaves all of this to us, as it keeps others waiting.
  const timer = setInterval(checkpoint, checkpointMilliseconds)
  timer.unref()
  return {
    engine: 'sqlite',
    read: (work) => readers.use(work),
    write: (work) => turns.take((woken) => inTransaction(careful, work, woken)),
    async bulk(work) {
      // Before the turn, so that nobody waits for it; otherwise those who commit do it.
      checkpoint()
      const isAwaited = () => Atomics.load(awaited, 0) === 1
      return turns.take((woken) => inTransaction(quick, (tx) => work(tx, isAwaited), woken))
    },
    follow: (listener) => wakes.follow(listener),
    async close() {
      clearInterval(timer)
      await turns.close()
      await readers.close()
      careful.close()
      quick.close()
    },
  }
}

async function inTransaction<T>(
  connection: Connection,
  work: (tx: Tx) => Promise<T>,
  woken: (topics: readonly string[]) => void,
): Promise<T> {
  begin(connection)
  const tx = new ConnectionTx(connection)
  try {
    const value = await work(tx)
    tx.mustBeWhole()
    connection.step('commit')
    woken(tx.woken)
    return value
  } catch (error) {
    connection.rollback()
    throw error
  } finally {
    tx.end()
  }
}

/** The turn is ours; only another process, such as a backup, can hold the lock for a moment. */
function begin(connection: Connection): void {
  const deadline = performance.now() + 1000
  for (;;) {
    try {
      connection.step('begin immediate')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

/** This thread's turns to write, one at a time. */
class Turns {
  readonly #port: MessagePort
  #go = () => {}
  #last: Promise<unknown> = Promise.resolve()

  constructor(port: MessagePort, wakes: Wakes) {
    this.#port = port
    port.on('message', (message: Told) => {
      if (message.kind === 'go') this.#go()
      else wakes.tell(message.topics)
    })
    port.unref()
  }

  take<T>(work: (woken: (topics: readonly string[]) => void) => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#go = resolve
      this.#say({ kind: 'ask' })
      this.#port.ref()
      await promise
      let topics: readonly string[] = []
      try {
        return await work((woken) => {
          topics = woken
        })
      } finally {
        this.#say({ kind: 'done', topics })
        this.#port.unref()
      }
    })
    this.#last = turn.catch(() => {})
    return turn
  }

  async close(): Promise<void> {
    await this.#last
    this.#port.close()
  }

  #say(message: Asked): void {
    this.#port.postMessage(message)
  }
}
