import { setTimeout as sleep } from 'node:timers/promises'
import { Mendable } from '../mendable.ts'
import type { Items } from './protocol.ts'
import { KnotSession, type Place } from './session.ts'

export type KnotPlace = Place & {
  /** A name that only transactions of this target have in them. */
  readonly mark: string
}

const WAIT = 100

/** Speaks to one knotd: pieces of work one after another, each on a connection of its own. */
export class KnotControl {
  readonly #place: KnotPlace
  #turn: Promise<unknown> = Promise.resolve()
  // A knotd that hung does later what it was sent, when nobody waits for the answer any more.
  #mayHaveBegun = false

  constructor(place: KnotPlace) {
    this.#place = place
  }

  /** Does a piece of work outside of transactions. */
  session<T>(signal: AbortSignal, work: (session: KnotSession) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(() => this.#session(signal, work))
    this.#turn = mine.catch(() => {})
    return mine
  }

  /**
   * Changes the configuration: all that the work does takes effect, or, where it resolves with faults or knotd finds any, nothing
   * of it. Resolves with the faults. While someone else has a transaction open, it is waited for.
   */
  async transaction(
    signal: AbortSignal,
    work: (session: KnotSession) => Promise<readonly Items[]>,
  ): Promise<readonly Items[]> {
    const last = performance.now() + this.#place.timeout
    for (let wasEmpty = true; ; ) {
      const isLast = performance.now() > last
      const outcome = await this.session(signal, async (session) => {
        const begun = await this.#begin(session, isLast && wasEmpty)
        return begun === 'begun' ? this.#change(session, work) : begun
      })
      if (typeof outcome !== 'string') return outcome
      wasEmpty &&= outcome === 'empty'
      if (isLast) throw occupied(this.#place)
      await sleep(WAIT, undefined, { signal })
    }
  }

  /** Resolves when nothing is under way. */
  async close(): Promise<void> {
    await this.#turn
  }

  async #session<T>(signal: AbortSignal, work: (session: KnotSession) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const session = new KnotSession(this.#place)
    const abort = () => session.fail(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await work(session)
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      signal.removeEventListener('abort', abort)
      session.end()
    }
  }

  /**
   * knotd has one transaction at most, and it outlives connections. One of ours was left behind, as knotd serves nobody else
   * while a session is open; so was an empty one that has been open for all the time that was waited.
   */
  async #begin(session: KnotSession, mayTakeEmpty: boolean): Promise<'begun' | 'busy' | 'empty'> {
    const mark = { section: 'remote', id: this.#place.mark }
    const wasUnsure = this.#mayHaveBegun
    this.#mayHaveBegun = true
    if (!(await isDone(session, { command: 'conf-begin' }))) {
      const isOurs = await isDone(session, { command: 'conf-get', ...mark })
      const isEmpty = (await session.one({ command: 'conf-diff' })).values.length === 0
      if (!isOurs && !(isEmpty && (mayTakeEmpty || wasUnsure))) {
        this.#mayHaveBegun = false
        return isEmpty ? 'empty' : 'busy'
      }
      await session.one({ command: 'conf-abort' })
      if (!(await isDone(session, { command: 'conf-begin' }))) return 'busy'
    }
    await session.one({ command: 'conf-set', ...mark })
    this.#mayHaveBegun = false
    return 'begun'
  }

  async #change(
    session: KnotSession,
    work: (session: KnotSession) => Promise<readonly Items[]>,
  ): Promise<readonly Items[]> {
    let faults: readonly Items[] | undefined
    try {
      faults = await work(session)
      if (faults.length > 0) return faults
      await session.one({ command: 'conf-unset', section: 'remote', id: this.#place.mark })
      faults = (await session.one({ command: 'conf-commit' })).errors
      return faults
    } finally {
      // What cannot be taken back now, as the connection is lost, is taken back when the mark is found.
      if (faults?.length !== 0) await session.one({ command: 'conf-abort' }).catch(() => {})
    }
  }
}

async function isDone(session: KnotSession, command: Items): Promise<boolean> {
  return (await session.one(command)).errors.length === 0
}

function occupied({ path, timeout }: KnotPlace): Mendable {
  return new Mendable(
    `someone else has had a configuration transaction of knotd at ${path} open for ${timeout / 1000} seconds`,
    'See what it has with knotc conf-diff, then end it with knotc conf-commit or knotc conf-abort.',
  )
}
