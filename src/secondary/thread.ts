import { hostname } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { Level } from 'pino'
import { systemClock } from '../clock.ts'
import { openLinked } from '../db/link.ts'
import type { StoreLink } from '../db/sql.ts'
import { defaultPatience } from '../exchange/client.ts'
import { askFrom } from '../exchange/source.ts'
import { type LogFormat, openLog } from '../log.ts'
import { secretsWith } from '../secrets.ts'
import type { RefreshContext } from './refresh.ts'
import { startSchedule } from './schedule.ts'

export type SecondaryData = Pick<RefreshContext, 'quotaDefaults' | 'limits'> & {
  readonly link: StoreLink
  readonly secretKey: Uint8Array
  /** The addresses of ours that servers are asked from. */
  readonly sources: readonly string[]
  readonly log: { readonly level: Level | 'silent'; readonly format: LogFormat }
}

const { link, secretKey, sources, quotaDefaults, limits, ...data } = workerData as SecondaryData
askFrom(sources)
const log = openLog(data.log)
const db = openLinked(link, (error) => log.warn({ err: error }, 'a database connection was lost'))
const schedule = startSchedule({
  db,
  secrets: secretsWith(Buffer.from(secretKey)),
  quotaDefaults,
  limits,
  patience: defaultPatience,
  holder: `${hostname()} ${process.pid} ${crypto.randomUUID()}`,
  clock: systemClock,
  log,
})

parentPort!.once('message', async () => {
  await schedule.stop()
  await db.close()
  parentPort!.close()
})
