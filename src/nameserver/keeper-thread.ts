import { parentPort } from 'node:worker_threads'
import { type Keeper, type KeeperOrder, runKeeper } from './keeper.ts'

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
