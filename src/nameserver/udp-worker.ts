import { Worker } from 'node:worker_threads'
import { workerUrl } from '../worker-url.ts'

let ready: Worker | undefined

const make = (): Worker =>
  new Worker(workerUrl(import.meta.url, 'udp-thread'), { execArgv: ['--disable-warning=ExperimentalWarning'] })

/** Makes the first thread for UDP ahead of time: it reads its code while others read theirs, and waits to be told what to serve. */
export function prepareUdpWorker(): void {
  ready = make()
  ready.unref()
}

/** A thread for UDP, the one that was made ahead where there is one. */
export function udpWorker(): Worker {
  const worker = ready ?? make()
  ready = undefined
  worker.ref()
  return worker
}
