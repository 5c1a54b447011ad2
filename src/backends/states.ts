import type { Logger } from 'pino'
import type { PoolConfig, PoolTarget } from './config.ts'
import type { Recorder } from './recorder.ts'

/** How each server of a pool is: whether it answers, and whether its control channel does. */
export class ServerStates {
  readonly #pool: string
  readonly #recorder: Recorder
  readonly #log: Logger
  readonly #silence = new Map<string, string>()
  readonly #control = new Map<string, string>()

  constructor({ name }: PoolConfig, recorder: Recorder, log: Logger) {
    this.#pool = name
    this.#recorder = recorder
    this.#log = log
  }

  /** Why a server cannot be asked, or cannot be given zones. */
  troubleOf(serverId: string): string | undefined {
    return this.#silence.get(serverId) ?? this.#control.get(serverId)
  }

  /** A server does not answer, or, without a reason, it does. */
  answers(server: PoolConfig['servers'][number], reason: string | undefined): void {
    const place = { pool: this.#pool, server: `${server.host}:${server.port}` }
    if (reason === undefined) this.#log.info(place, 'a server answers')
    else this.#log.warn({ ...place, reason }, 'a server is silent')
    this.#note(this.#silence, server.id, reason)
  }

  /** A target cannot be given zones, or, without a reason, it can. */
  takesZones(target: PoolTarget, reason: string | undefined): void {
    const place = { pool: this.#pool, target: target.type, target_id: target.id }
    if (reason === undefined) this.#log.info(place, 'a target takes zones')
    else this.#log.warn({ ...place, reason }, 'a target cannot be given zones; it is tried again')
    this.#note(this.#control, target.id, reason)
  }

  #note(troubles: Map<string, string>, serverId: string, reason: string | undefined): void {
    if (reason === undefined) troubles.delete(serverId)
    else troubles.set(serverId, reason)
    const error = this.troubleOf(serverId) ?? null
    this.#recorder.state({ server_id: serverId, status: error === null ? 'UP' : 'DOWN', error })
  }
}
