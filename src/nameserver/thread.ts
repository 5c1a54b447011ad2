import { Worker } from 'node:worker_threads'
import { workerUrl } from '../worker-url.ts'
import type { UdpMode } from './udp.ts'

export type KeeperThreadData = { readonly udp: UdpMode }

/** Makes the thread the name server will run in; it reads its code while others read theirs, and waits for orders. */
export const nameserverThread = (data: KeeperThreadData): Worker =>
  new Worker(workerUrl(import.meta.url, 'keeper-thread'), { workerData: data })
