import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/sql.ts'
import type { MayAct } from './kind.ts'
import type { Lease } from './leases.ts'

/** What delivering a pool needs beside its settings. */
export type PoolOptions = {
  readonly db: Pick<Database, 'read' | 'write'>
  readonly clock: Clock
  readonly log: Logger
  readonly lease: Lease
  readonly mayAct: MayAct
  /** The serial that the built-in server has of a zone, where it has told lately. */
  readonly servedSerial: (zoneId: string) => number | undefined
}
