import type { Logger } from 'pino'
import { type Clock, timestamp } from '../clock.ts'
import { type Database, sql } from '../db/sql.ts'
import { begin, finish, pendingOf, putBack } from '../resources/pool-checks/store.ts'
import { checkContent } from './check-content.ts'
import { checkReach } from './check-reach.ts'
import { checkSerials, checkStrangers } from './check-serials.ts'
import type { PoolConfig } from './config.ts'
import { addressOf, placeText } from './config.ts'
import type { Finding } from './kind.ts'

/** What was found at a server, of a zone or of the server itself. */
export type PlacedFinding = {
  readonly server_id: string
  readonly server: string
  readonly zone: string | null
  readonly level: Finding['level']
  readonly what: string
  readonly mend: string | null
}

export type CheckContext = {
  readonly db: Pick<Database, 'read' | 'write'>
  readonly config: PoolConfig
  readonly signal: AbortSignal
  readonly report: (finding: PlacedFinding) => void
}

const mostFindings = 1000
const mostMilliseconds = 30 * 60_000

export type ChecksOptions = {
  readonly db: CheckContext['db']
  readonly clock: Clock
  readonly log: Logger
}

/** Does the checks that somebody wants of the pools this process delivers, one at a time. */
export class Checks {
  readonly #options: ChecksOptions
  readonly #stopped = new AbortController()
  #working: Promise<void> | undefined

  constructor(options: ChecksOptions) {
    this.#options = options
  }

  /** Begins what is wanted, where nothing is under way. */
  look(configs: () => ReadonlyMap<string, PoolConfig>): void {
    this.#working ??= this.#work(configs)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'checks of pools could not be done'))
      .finally(() => {
        this.#working = undefined
      })
  }

  /** Takes up again what another process, or this one before, began and did not finish. */
  async takeOver(poolId: string): Promise<void> {
    await this.#options.db.write((tx) => putBack(tx, poolId))
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#working
  }

  async #work(configs: () => ReadonlyMap<string, PoolConfig>): Promise<void> {
    const { db, clock } = this.#options
    for (;;) {
      const held = configs()
      const next = await db.read(async (tx) => {
        const undelivered = await tx.all<{ id: string }>(sql`
          select c.pool_id as id from pool_checks c join pools p on p.id = c.pool_id
          where c.status <> 'COMPLETE' and p.delivered = 0`)
        return pendingOf(tx, [...held.keys(), ...undelivered.map(({ id }) => id)])
      })
      if (next === undefined || this.#stopped.signal.aborted) return
      if (!(await db.write((tx) => begin(tx, next.id, timestamp(clock()))))) continue
      const result = await this.#check(next.depth, held.get(next.pool_id))
      if (this.#stopped.signal.aborted) return
      await db.write((tx) => finish(tx, next.id, result, timestamp(clock())))
    }
  }

  async #check(depth: string, config: PoolConfig | undefined) {
    const findings: PlacedFinding[] = []
    let left = 0
    const report = (finding: PlacedFinding) => {
      if (findings.length < mostFindings - 1) findings.push(finding)
      else left++
    }
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(mostMilliseconds)])
    let [status, zones]: ['COMPLETE' | 'ERROR', number] = ['COMPLETE', 0]
    try {
      if (config === undefined) report(builtIn)
      else zones = await checkPool(depth, { db: this.#options.db, config, signal, report })
    } catch (error) {
      status = 'ERROR'
      const mend = 'look into the log of the service, and try again'
      report({ ...nowhere, level: 'error', what: `the check broke off: ${(error as Error).message}`, mend })
      this.#options.log.error({ err: error }, 'a check of a pool broke off')
    }
    if (signal.aborted && !this.#stopped.signal.aborted) {
      const what = `the check was ended after ${mostMilliseconds / 60_000} minutes: ${zones} zones were looked at, and others were not`
      findings.push({ ...nowhere, level: 'error', what, mend: 'look at what is slow, or check with a lesser depth' })
    }
    if (left > 0) findings.push({ ...nowhere, level: 'warning', what: `and ${left} more findings`, mend: null })
    return { status, findings, zones_checked: zones } as const
  }
}

async function checkPool(depth: string, context: CheckContext): Promise<number> {
  if (depth === 'reach') {
    await checkReach(context)
    return 0
  }
  await checkStrangers(context)
  return depth === 'content' ? checkContent(context) : checkSerials(context)
}

const nowhere = { server_id: '', server: 'the pool', zone: null } as const

const builtIn: PlacedFinding = {
  ...nowhere,
  server: 'the built-in name server',
  level: 'ok',
  what: 'no other server answers for this pool, and the built-in one is part of the service',
  mend: null,
}

/** Names a server in findings. */
export function placeOf(config: PoolConfig, serverId: string): Pick<PlacedFinding, 'server_id' | 'server'> {
  const target = config.targets.find(({ id }) => id === serverId)
  const { host, port } = config.servers.find(({ id }) => id === serverId) ?? addressOf(target!)
  return { server_id: serverId, server: `${target?.type ?? 'nameserver'} ${placeText({ host, port })}` }
}
