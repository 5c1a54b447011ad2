import type { Fault } from '../errors.ts'

/** In which order requests are sent: what is new first, what goes last, so that no pool is without servers meanwhile. */
export const stages = [
  'pool',
  'add target',
  'change',
  'delivery',
  'add host',
  'pool fields',
  'remove host',
  'remove target',
  'remove pool',
] as const

/** One request. `{pool_id}` in its path is `pool_id`, or else the id that the pool named `pool` gets when it is made. */
export type Change = {
  readonly stage: (typeof stages)[number]
  readonly sign: '+' | '~' | '-'
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly pool: string
  readonly pool_id: string | undefined
  readonly path: string
  readonly body?: unknown
  /** What it does, for a person. */
  readonly says: string
}

/** Gathers what becomes of one pool: how it is told, and the requests that do it. Secrets are in the requests alone. */
export class Changes {
  readonly pool: string
  readonly pool_id: string | undefined
  readonly faults: Fault[]
  readonly lines: string[] = []
  readonly notes: string[] = []
  /** Secrets that are in the file and were not sent, since those that are set cannot be compared. */
  readonly keptSecrets: string[] = []
  readonly all: Change[] = []

  constructor(pool: string, pool_id: string | undefined, faults: Fault[]) {
    this.pool = pool
    this.pool_id = pool_id
    this.faults = faults
  }

  create(stage: Change['stage'], path: string, body: unknown, says: string): void {
    this.all.push({ ...this.#where, stage, sign: '+', method: 'POST', path, body, says })
  }

  change(stage: Change['stage'], path: string, body: unknown, says: string): void {
    this.all.push({ ...this.#where, stage, sign: '~', method: 'PATCH', path, body, says })
  }

  remove(stage: Change['stage'], path: string, says: string): void {
    this.all.push({ ...this.#where, stage, sign: '-', method: 'DELETE', path, says })
  }

  get #where(): Pick<Change, 'pool' | 'pool_id'> {
    return { pool: this.pool, pool_id: this.pool_id }
  }
}
