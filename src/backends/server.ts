import { Exchange, NoAnswer, type Shown } from '../exchange/exchange.ts'
import type { ProofServer } from './config.ts'

/** A zone that a server should show at a serial, or, with null, not at all. */
export type Expected = { readonly id: string; readonly name: string; readonly serial: number | null }

export type ServerEvents = {
  /** What the server shows of a zone that is expected of it; whether that will do. */
  readonly onShown: (zone: Expected, shown: Shown) => boolean
  /** It does not answer any more, or, without a reason, it does again. */
  readonly onState: (reason: string | undefined) => void
  /** Some zone it should have, for a look whether it is there though nothing is expected of it. */
  readonly sample: () => Promise<Expected | undefined>
  readonly onSample: (zone: Expected | undefined, shown: Shown) => void
}

type Waiting = { zone: Expected; attempt: number; timer: NodeJS.Timeout | undefined }

// Most secondaries have a change within milliseconds of the NOTIFY; those that do not are asked ever more seldom.
const delays = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 1000, 2000, 4000, 8000, 15_000, 30_000]
const most = 128
const mostInMillisecond = 2
const answerMilliseconds = 1500
const silentAfter = 3
const [soonest, seldom, atLeisure] = [500, 2000, 5000]

/** Asks one server for the zones that are expected of it, many at a time, until it shows them. While it is silent, one question at a time. */
export class ServerProbe {
  readonly server: ProofServer
  readonly #exchange: Exchange
  readonly #events: ServerEvents
  readonly #waiting = new Map<string, Waiting>()
  readonly #ready = new Set<string>()
  #asking = 0
  #silent = 0
  #down: string | undefined
  #isKnownUp = false
  #isDeafToUdp = false
  #stopped = false
  #isBeating = false
  #heartbeat: NodeJS.Timeout

  constructor(server: ProofServer, events: ServerEvents) {
    this.server = server
    this.#exchange = new Exchange(server)
    this.#events = events
    this.#heartbeat = setTimeout(() => this.#beat(1), 0)
  }

  /** Why it counts as silent; undefined when it answers. */
  get down(): string | undefined {
    return this.#down
  }

  /** How many zones are expected of it. */
  get expecting(): number {
    return this.#waiting.size
  }

  /** Asks for a zone, at once and until it is shown; what was expected of that zone before is forgotten. */
  expect(zone: Expected): void {
    this.forget(zone.id)
    const waiting: Waiting = { zone, attempt: 0, timer: undefined }
    this.#waiting.set(zone.id, waiting)
    this.#later(waiting)
  }

  forget(zoneId: string): void {
    clearTimeout(this.#waiting.get(zoneId)?.timer)
    this.#waiting.delete(zoneId)
    this.#ready.delete(zoneId)
  }

  /** Asks once, whatever is expected; throws NoAnswer. */
  look(name: string): Promise<Shown> {
    return this.#isDeafToUdp
      ? this.#exchange.serialOverTcp(name, answerMilliseconds)
      : this.#exchange.serial(name, answerMilliseconds)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#heartbeat)
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#exchange.close()
  }

  #later(waiting: Waiting): void {
    if (this.#down !== undefined) return
    // Where very many are expected it is busy with them: questions that come too early keep it from that.
    const delay = Math.max(
      delays[Math.min(waiting.attempt, delays.length - 1)]!,
      this.#waiting.size / mostInMillisecond,
    )
    waiting.timer = setTimeout(() => {
      waiting.timer = undefined
      this.#ready.add(waiting.zone.id)
      this.#askReady()
    }, delay)
  }

  #askReady(): void {
    for (const id of this.#ready) {
      if (this.#asking >= most || this.#down !== undefined || this.#stopped) return
      this.#ready.delete(id)
      const waiting = this.#waiting.get(id)
      if (waiting !== undefined) void this.#ask(waiting)
    }
  }

  async #ask(waiting: Waiting): Promise<void> {
    this.#asking++
    try {
      const shown = await this.look(waiting.zone.name)
      this.#answered()
      if (this.#waiting.get(waiting.zone.id) !== waiting) return
      if (this.#events.onShown(waiting.zone, shown)) this.forget(waiting.zone.id)
    } catch (error) {
      if (this.#stopped) return
      const wasDown = this.#down !== undefined
      this.#unanswered(error)
      // It may be back in a moment.
      if (!wasDown && this.#down !== undefined && !this.#isBeating) this.#beat(soonest)
    } finally {
      this.#asking--
    }
    if (this.#waiting.get(waiting.zone.id) === waiting) {
      waiting.attempt++
      this.#later(waiting)
    }
    this.#askReady()
  }

  #answered(): void {
    this.#silent = 0
    const wasDown = this.#down !== undefined
    this.#down = undefined
    if (this.#isKnownUp && !wasDown) return
    this.#isKnownUp = true
    this.#events.onState(undefined)
    if (!wasDown) return
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer)
      waiting.attempt = 0
      this.#later(waiting)
    }
  }

  #unanswered(error: unknown): void {
    const reason = error instanceof NoAnswer ? error.message : String(error)
    if (++this.#silent < silentAfter || this.#down === reason) return
    this.#down = reason
    this.#isKnownUp = false
    this.#events.onState(reason)
  }

  /** Keeps an eye on the server: often while it is silent, at times while it is not, since it may have lost what it had. */
  #beat(wait: number): void {
    clearTimeout(this.#heartbeat)
    this.#heartbeat = setTimeout(async () => {
      this.#isBeating = true
      const isSilent = this.#silent > 0
      if (isSilent) await this.#knock()
      else await this.#glance()
      this.#isBeating = false
      if (!this.#stopped) this.#beat(this.#silent > 0 ? Math.min(seldom, isSilent ? wait * 1.5 : soonest) : atLeisure)
    }, wait)
  }

  async #glance(): Promise<void> {
    const zone = await this.#events.sample().catch(() => undefined)
    const name = zone?.name ?? '.'
    // Whether datagrams get through may change; each question over TCP costs a connection.
    if (this.#isDeafToUdp) this.#isDeafToUdp = !(await this.#hearsUdp(name))
    try {
      const shown = await this.look(name)
      this.#answered()
      this.#events.onSample(zone, shown)
    } catch (error) {
      if (!this.#stopped) this.#unanswered(error)
    }
  }

  async #knock(): Promise<void> {
    const name = this.#waiting.values().next().value?.zone.name ?? '.'
    this.#isDeafToUdp = !(await this.#hearsUdp(name))
    try {
      if (this.#isDeafToUdp) await this.look(name)
      this.#answered()
    } catch (error) {
      if (!this.#stopped) this.#unanswered(error)
    }
  }

  #hearsUdp(name: string): Promise<boolean> {
    return this.#exchange.serial(name, answerMilliseconds).then(
      () => true,
      () => false,
    )
  }
}
