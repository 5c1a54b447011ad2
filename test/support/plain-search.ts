import type { Database, Tx } from '../../src/db/sql.ts'
import { noTrigrams } from '../../src/db/trigrams.ts'

/** The same store, as one that has no index for pieces of text. */
export const withoutTrigrams = (db: Database): Database => ({
  ...db,
  scan: (work) => db.scan((tx) => work(blind(tx))),
})

const blind = (tx: Tx): Tx => ({
  get: (query) => tx.get(query),
  all: (query) => tx.all(query),
  values: (query) => tx.values(query),
  run: (query) => tx.run(query),
  wake: (topic) => tx.wake(topic),
  forUpdate: tx.forUpdate,
  engine: tx.engine,
  trigrams: noTrigrams,
})
