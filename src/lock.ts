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
  const file = join(folder, 'lock.db')
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file)
    database.exec('pragma busy_timeout = 0; begin exclusive')
    writeFileSync(holder, `${pid}\n`)
  } catch (error) {
    database?.close()
    const { errcode, message } = error as Error & { errcode?: number }
    throw new Trouble(
      errcode === busy
        ? `the data folder ${folder} is in use by another nameplane${pidOf(holder)}; stop it, or give this one a --data-dir of its own`
        : `cannot lock the data folder by ${file}: ${message}; it and nameplane.pid must be files that this user may write, and hold nothing to keep`,
    )
  }
  const held = database
  return { release: () => held.close() }
}

function pidOf(holder: string): string {
  try {
    return ` (process ${Number.parseInt(readFileSync(holder, 'utf8'), 10)})`
  } catch {
    return ''
  }
}
