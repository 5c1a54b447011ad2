import { hostname } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { Level } from 'pino'
import { systemClock } from '../clock.ts'
import { openLinked } from '../db/link.ts'
import type { StoreLink } from '../db/sql.ts'
import { type LogFormat, openLog } from '../log.ts'
import { secretsWith } from '../secrets.ts'
import { startDelivery } from './deliver.ts'
import type { DeliveryStats } from './metrics.ts'

export type DeliveryData = {
  readonly link: StoreLink
  readonly secretKey: Uint8Array
  readonly log: { readonly level: Level | 'silent'; readonly format: LogFormat }
}

export type DeliveryOrder =
  | { readonly kind: 'served'; readonly zones: readonly { readonly id: string; readonly serial: number }[] }
  | { readonly kind: 'stop' }

export type DeliveryReport = DeliveryStats

const { link, secretKey, ...data } = workerData as DeliveryData
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

parentPort!.on('message', async (order: DeliveryOrder) => {
  if (order.kind === 'served') return delivery.served(order.zones)
  clearInterval(telling)
  await delivery.stop()
  await db.close()
  parentPort!.close()
})
