import { parentPort, workerData } from 'node:worker_threads'
import type { Keeper, KeeperOrder } from './keeper.ts'
import type { KeeperThreadData } from './thread.ts'
import { prepareUdpWorker } from './udp-worker.ts'

if ((workerData as KeeperThreadData).udp !== 'dgram') prepareUdpWorker()
// Read only now, at the same time as the other thread reads its own.
const { runKeeper } = await import('./keeper.ts')

const port = parentPort!
let keeper: Promise<Keeper | undefined> | undefined

port.on('message', async (order: KeeperOrder) => {
  switch (order.kind) {
    case 'start':
      keeper = runKeeper(order.options, (report) => port.postMessage(report))
      return void (await keeper)
    case 'wake':
      return (await keeper)?.wake(order.topics)
    case 'tell':
      return (await keeper)?.tell(order.port)
    case 'stop':
      await (await keeper)?.stop()
      return port.close()
  }
})
