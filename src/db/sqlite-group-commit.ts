import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable, type Tx } from './sql.ts'
import { type Connection, ConnectionTx, closed, isBusy, patienceMilliseconds } from './sqlite-connection.ts'
import type { Wakes } from './wakes.ts'

const maxBatch = 256
const maxBatchMilliseconds = 20
const momentMilliseconds = 1

type Job = {
  run(tx: ConnectionTx): Promise<() => void>
  reject(error: unknown): void
  /** Whether it runs in a savepoint, which costs a third of a write. */
  isCareful: boolean
}

/** A job failed that had written something, and had no savepoint to go back to. */
class Undo extends Error {}

/** Someone else's time to write; `awaited` is set to 1 once anyone waits for its end. */
type Turn = { work(hasWaiting: boolean): Promise<void>; readonly awaited: Int32Array }

/**
 * Makes writes that wait together share one fsync.
 *
 * They run one after another inside one transaction; nobody is told anything before it is on disk. Who fails without
 * having written leaves nothing to undo. Should one fail that has, all of them are undone and run again, each in a
 * savepoint of its own, so that one failure undoes only its own work.
 */
export class GroupCommit {
  readonly #connection: Connection
  readonly #wakes: Wakes
  #queue: Job[] = []
  #turns: Turn[] = []
  #turn: Int32Array | undefined
  #woken: string[] = []
  #returning = { count: 0, since: 0 }
  #gathered = () => {}
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
        isCareful: false,
      })
      if (this.#turn !== undefined) Atomics.store(this.#turn, 0, 1)
      if (this.#isGathered) this.#gathered()
      this.#draining ??= this.#drain()
    })
  }

  /** Lets another connection of this process write, between two batches: who waits here waits for its turn, not for a lock; `awaited` tells it that somebody does. */
  turn(work: (hasWaiting: boolean) => Promise<void>, awaited: Int32Array): void {
    this.#turns.push({ work, awaited })
    this.#draining ??= this.#drain()
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#draining
  }

  async #drain(): Promise<void> {
    // A turn of the event loop first: requests that arrived together join the same batch.
    await nextTurn()
    while (this.#queue.length > 0 || this.#turns.length > 0) {
      if (this.#queue.length > 0) await this.#gather()
      const count = this.#queue.length
      if (count > 0) await this.#batch()
      await this.#giveTurn(this.#turns.shift())
      await nextTurn()
      this.#returning = { count: count + this.#queue.length, since: performance.now() }
    }
    this.#draining = undefined
  }

  /** Whoever was just answered often writes again at once: where many were, most of them are waited for, a moment. */
  async #gather(): Promise<void> {
    if (performance.now() - this.#returning.since > momentMilliseconds || this.#isGathered) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, momentMilliseconds)
      this.#gathered = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#gathered = () => {}
  }

  get #isGathered(): boolean {
    return 4 * this.#queue.length >= 3 * this.#returning.count
  }

  async #giveTurn(turn: Turn | undefined): Promise<void> {
    if (turn === undefined) return
    this.#turn = turn.awaited
    await turn.work(this.#queue.length > 0)
    this.#turn = undefined
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
      if (error instanceof Undo) {
        this.#connection.rollback()
        for (const job of done) job.isCareful = true
        this.#queue.unshift(...done)
        return
      }
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
    if (job.isCareful) this.#connection.step('savepoint job')
    try {
      const settle = await job.run(tx)
      if (job.isCareful) this.#connection.step('release job')
      this.#woken.push(...tx.woken)
      return settle
    } catch (error) {
      // A full disk makes SQLite drop the whole transaction: then the batch as a whole has failed.
      if (!this.#connection.inTransaction) throw error
      if (job.isCareful) {
        this.#connection.step('rollback to job')
        this.#connection.step('release job')
      } else if (tx.hasWritten) throw new Undo()
      return () => job.reject(error)
    } finally {
      tx.end()
    }
  }
}
