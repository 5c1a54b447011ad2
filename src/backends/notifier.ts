import type { Logger } from 'pino'
import { RCODE, rcodeName } from '../dns/codes.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { Exchange, NoAnswer } from '../exchange/exchange.ts'
import type { Server } from '../exchange/server.ts'
import { placeText } from './config.ts'

const waits = [1000, 2000, 4000]
const most = 128
const mostRefusals = 10_000

/** Tells one server of changes (RFC 1996). Of a zone that changes again before it was told, only the last is. */
export class Notifier {
  readonly #exchange: Exchange
  readonly #where: string
  readonly #log: Logger
  readonly #waiting = new Map<string, ResourceRecord | undefined>()
  readonly #telling = new Set<string>()
  readonly #refusals = new Map<string, { readonly rcode: string; readonly times: number }>()
  #stopped = false

  constructor(server: Server, log: Logger) {
    this.#exchange = new Exchange(server)
    this.#where = placeText(server)
    this.#log = log
  }

  /** Tells of a zone; `soa`, where it is known, spares the server the question. */
  tell(zone: string, soa?: ResourceRecord): void {
    this.#waiting.set(zone, soa)
    this.#next()
  }

  /** Whether it refused what it was told last. */
  get isRefused(): boolean {
    return this.#refusals.size > 0
  }

  /** How it refuses to be told of a zone; undefined when it does not, or did so once: a new zone may not have been there. */
  refusalOf(zone: string): string | undefined {
    const refusal = this.#refusals.get(zone)
    return refusal !== undefined && refusal.times > 1 ? refusal.rcode : undefined
  }

  stop(): void {
    this.#stopped = true
    this.#exchange.close()
  }

  #next(): void {
    for (const [zone, soa] of this.#waiting) {
      if (this.#telling.size >= most || this.#stopped) return
      if (this.#telling.has(zone)) continue
      this.#waiting.delete(zone)
      this.#telling.add(zone)
      void this.#tell(zone, soa).finally(() => {
        this.#telling.delete(zone)
        this.#next()
      })
    }
  }

  async #tell(zone: string, soa: ResourceRecord | undefined): Promise<void> {
    for (const wait of waits) {
      // A newer one is waiting: this one need not arrive.
      if (this.#stopped || this.#waiting.has(zone)) return
      try {
        const rcode = await this.#exchange.notify(zone, soa, wait)
        if (rcode === RCODE.NOERROR) this.#refusals.clear()
        else this.#refused(zone, rcodeName(rcode))
        return
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        this.#log.debug({ server: this.#where, zone, reason: error.message }, 'a NOTIFY was not answered')
      }
    }
  }

  #refused(zone: string, rcode: string): void {
    this.#log.debug({ server: this.#where, zone, rcode }, 'a NOTIFY was refused')
    const times = (this.#refusals.get(zone)?.times ?? 0) + 1
    if (times > 1 || this.#refusals.size < mostRefusals) this.#refusals.set(zone, { rcode, times })
  }
}
