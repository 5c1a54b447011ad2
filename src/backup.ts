import { closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Trouble } from './trouble.ts'

/**
 * Copies the embedded database and the secret key of a data folder to a new folder, from which the service can be started.
 *
 * It is one snapshot of all that was committed when it began; a service that runs goes on reading and writing meanwhile.
 */
export function backUp(dataDir: string, folder: string): void {
  const from = join(dataDir, 'nameplane.db')
  if (!existsSync(from)) throw new Trouble(`there is no database in ${dataDir}; say where it is with --data-dir`)
  makeEmpty(folder)
  try {
    const draft = join(folder, 'nameplane.db.part')
    const database = new DatabaseSync(from, { readOnly: true, timeout: 5000 })
    try {
      database.prepare('vacuum into ?').run(draft)
    } finally {
      database.close()
    }
    sync(draft)
    // Last, and under its own name only when it is whole: a folder with this file in it is a whole backup.
    copySecret(dataDir, folder)
    renameSync(draft, join(folder, 'nameplane.db'))
    sync(folder)
  } catch (error) {
    throw new Trouble(`cannot back up ${dataDir} to ${folder}: ${(error as Error).message}`)
  }
}

function makeEmpty(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (readdirSync(folder).length === 0) return
  } catch (error) {
    throw new Trouble(`cannot back up to ${folder}: ${(error as Error).message}`)
  }
  throw new Trouble(`${folder} is not empty; a backup goes to a folder of its own`)
}

function copySecret(dataDir: string, folder: string): void {
  const from = join(dataDir, 'secret.key')
  // With the setting secret_key there is no file.
  if (!existsSync(from)) return
  const to = join(folder, 'secret.key')
  copyFileSync(from, to)
  sync(to)
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
