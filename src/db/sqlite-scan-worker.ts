import { parentPort, workerData } from 'node:worker_threads'
import type { Value } from './sql.ts'
import { Connection, valuesOf } from './sqlite-connection.ts'
import type { ScanAnswer, ScanRequest } from './sqlite-scanners.ts'

const connection = new Connection(workerData as string, true)

function answer({ how, text, values }: ScanRequest): unknown {
  const statement = connection.prepare(text)
  switch (how) {
    case 'step':
      statement.run()
      return undefined
    case 'get':
      return statement.get(...(values as Value[]))
    case 'all':
      return statement.all(...(values as Value[]))
    case 'values':
      return valuesOf(statement, values as Value[])
  }
}

parentPort!.on('message', (request: ScanRequest) => {
  let reply: ScanAnswer
  try {
    reply = { id: request.id, value: answer(request) }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    reply = { id: request.id, error: { message, errcode } }
  }
  parentPort!.postMessage(reply)
})
