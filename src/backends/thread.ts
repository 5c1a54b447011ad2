import { hostname } from 'node:os'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Level } from 'pino'
import { systemClock } from '../clock.ts'
import { openLinked } from '../db/link.ts'
import type { StoreLink } from '../db/sql.ts'
import { askFrom } from '../exchange/source.ts'
import { type LogFormat, openLog } from '../log.ts'
import { secretsWith } from '../secrets.ts'
import { startDelivery } from './deliver.ts'
import type { DeliveryStats } from './metrics.ts'

export type DeliveryData = {
  readonly link: StoreLink
  /** Where the built-in server tells which zones it has, up to which serials. */
  readonly served: MessagePort
  readonly secretKey: Uint8Array
  /** The addresses of ours that servers are asked from. */
  readonly sources: readonly string[]
  readonly log: { readonly level: Level | 'silent'; readonly format: LogFormat }
}

export type DeliveryReport = DeliveryStats

const { link, secretKey, served, sources, ...data } = workerData as DeliveryData
askFrom(sources)
const log = openLog(data.log)
const db = openLinked(link, (error) => log.warn({ err: error }, 'a database connection was lost'))
const delivery = startDelivery({
  db,
  secrets: secretsWith(Buffer.from(secretKey)),
  clock: systemClock,
  log,
  holder: `${hostname()} ${process.pid} ${crypto.randomUUID()}`,
})
const telling = setInterval(() => parentPort!.postMessage(delivery.stats() satisfies DeliveryReport), 1000)

served.on('message', (zones: readonly { id: string; serial: number }[]) => delivery.served(zones))

parentPort!.once('message', async () => {
  clearInterval(telling)
  served.close()
  await delivery.stop()
  await db.close()
  parentPort!.close()
})
