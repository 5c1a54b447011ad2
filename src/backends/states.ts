import type { Logger } from 'pino'
import { addressOf, type PoolConfig, type PoolTarget, placeText } from './config.ts'
import { refusalText } from './job.ts'
import type { Recorder } from './recorder.ts'

const noteMilliseconds = 60_000

/** How each server of a pool is: whether it answers, and whether its control channel does. */
export class ServerStates {
  readonly #pool: string
  readonly #recorder: Recorder
  readonly #log: Logger
  readonly #silence = new Map<string, string>()
  readonly #control = new Map<string, string>()
  readonly #deafness = new Map<string, string>()
  readonly #seenAt = new Map<string, number>()

  constructor({ name }: PoolConfig, recorder: Recorder, log: Logger) {
    this.#pool = name
    this.#recorder = recorder
    this.#log = log
  }

  /** Why a server cannot be asked, or that it cannot be given zones: why that is so is for administrators, who see it at the pool. */
  troubleOf(serverId: string): string | undefined {
    return this.#silence.get(serverId) ?? (this.#control.has(serverId) ? 'it cannot be given zones now' : undefined)
  }

  /** A server that is well was seen; that is noted now and then. */
  sawWell(serverId: string): void {
    if (performance.now() - (this.#seenAt.get(serverId) ?? Number.NEGATIVE_INFINITY) < noteMilliseconds) return
    this.#record(serverId)
  }

  /** A server does not answer, or, without a reason, it does. */
  answers(server: PoolConfig['servers'][number], reason: string | undefined): void {
    const place = { pool: this.#pool, server: placeText(server) }
    if (reason === undefined) this.#log.info(place, 'a server answers')
    else this.#log.warn({ ...place, reason }, 'a server is silent')
    this.#note(this.#silence, server.id, reason)
  }

  /** A server does not have a zone that it was seen to have. */
  lost(server: PoolConfig['servers'][number], zone: string): void {
    const place = { pool: this.#pool, server: placeText(server), zone }
    this.#log.warn(place, 'a server has lost a zone; all its zones are looked at')
  }

  /** A target cannot be given zones, or, without a reason, it can. */
  takesZones(target: PoolTarget, reason: string | undefined): void {
    const place = { pool: this.#pool, target: target.type, target_id: target.id, server: placeText(addressOf(target)) }
    if (reason === undefined) this.#log.info(place, 'a target takes zones')
    else this.#log.warn({ ...place, reason }, 'a target cannot be given zones; it is tried again')
    this.#note(this.#control, target.id, reason)
  }

  /** A server that answers was told of a change, which it shows or not, and refuses that, null standing for other changes, or does not. */
  hears(server: PoolConfig['servers'][number], refusal: string | null | undefined, isShown: boolean): void {
    if (refusal === null || (refusal !== undefined && isShown)) return
    const reason = refusal && refusalText(refusal)
    if (this.#deafness.has(server.id) === (reason !== undefined)) return
    const place = { pool: this.#pool, server: placeText(server) }
    if (reason === undefined) this.#log.info(place, 'a server takes NOTIFY')
    else this.#log.warn({ ...place, reason }, 'a server refuses NOTIFY: changes reach it late')
    this.#note(this.#deafness, server.id, reason)
  }

  #note(troubles: Map<string, string>, serverId: string, reason: string | undefined): void {
    if (reason === undefined) troubles.delete(serverId)
    else troubles.set(serverId, reason)
    this.#record(serverId)
  }

  #record(serverId: string): void {
    const down = this.#silence.get(serverId) ?? this.#control.get(serverId)
    this.#seenAt.set(serverId, performance.now())
    const error = down ?? this.#deafness.get(serverId) ?? null
    this.#recorder.state({ server_id: serverId, status: down === undefined ? 'UP' : 'DOWN', error })
  }
}
