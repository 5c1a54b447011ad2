import { Worker } from 'node:worker_threads'
import { workerUrl } from '../worker-url.ts'

/** Makes the thread the name server will run in; it reads its code while others read theirs, and waits for orders. */
export const nameserverThread = (): Worker => new Worker(workerUrl(import.meta.url, 'keeper-thread'))
