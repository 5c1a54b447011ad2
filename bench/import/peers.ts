import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { origin } from './file.ts'

/** Seconds that named-checkzone takes to read a file and to check it. */
export const namedCheckzone = (file: string): number => timed('named-checkzone', ['-q', origin, file])

/** Seconds that pdnsutil takes to load a file into PowerDNS's SQLite. */
export function pdnsutil(file: string, folder: string): number {
  mkdirSync(folder, { recursive: true })
  const database = join(folder, 'pdns.sqlite3')
  const db = new DatabaseSync(database)
  db.exec(readFileSync('/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql', 'utf8'))
  db.close()
  writeFileSync(join(folder, 'pdns.conf'), `launch=gsqlite3\ngsqlite3-database=${database}\n`)
  return timed('pdnsutil', [`--config-dir=${folder}`, 'load-zone', origin, file])
}

function timed(program: string, args: readonly string[]): number {
  const began = performance.now()
  const { status, stderr } = spawnSync(program, args, { maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
  return (performance.now() - began) / 1000
}
