import { parentPort, workerData } from 'node:worker_threads'
import { type KeeperOptions, type KeeperOrder, runKeeper } from './keeper.ts'

const port = parentPort!

const keeper = runKeeper(workerData as KeeperOptions, (report) => port.postMessage(report))

port.on('message', async (order: KeeperOrder) => {
  const running = await keeper
  switch (order.kind) {
    case 'wake':
      return running?.wake(order.topics)
    case 'stop':
      await running?.stop()
      return port.close()
  }
})
