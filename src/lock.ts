import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pid } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { Trouble } from './trouble.ts'

const busy = 5

/**
 * Claims a data folder for this process until `release`, or until the process ends in whatever way.
 *
 * An open exclusive transaction on a small database is a lock the operating system takes back by itself after
 * kill -9, on every platform; a file with a pid in it would stay behind.
 */
export function lockFolder(folder: string): { release(): void } {
  const holder = join(folder, 'nameplane.pid')
  const database = new DatabaseSync(join(folder, 'lock.db'))
  try {
    database.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    throw new Trouble(
      `the data folder ${folder} is in use by another nameplane${pidOf(holder)}; stop it, or give this one a --data-dir of its own`,
    )
  }
  writeFileSync(holder, `${pid}\n`)
  return { release: () => database.close() }
}

function pidOf(holder: string): string {
  try {
    return ` (process ${Number.parseInt(readFileSync(holder, 'utf8'), 10)})`
  } catch {
    return ''
  }
}
