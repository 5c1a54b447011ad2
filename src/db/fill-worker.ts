import { parentPort, workerData } from 'node:worker_threads'
import { type FillAnswer, type FillRequest, fillIn } from './filler.ts'
import { openLinked } from './link.ts'
import { DatabaseUnavailable, type StoreLink } from './sql.ts'

const store = openLinked(workerData as StoreLink, () => {})

parentPort!.on('message', async ({ id, blocks }: FillRequest) => {
  const say = (answer: FillAnswer) => parentPort!.postMessage(answer)
  try {
    say({ id, filled: await fillIn(store, blocks) })
  } catch (error) {
    const isPassing = error instanceof DatabaseUnavailable
    say({ id, error: { message: (error as Error).stack ?? String(error), isPassing } })
  }
})
