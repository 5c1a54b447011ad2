import { equal, match, throws } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { lockFolder } from './lock.ts'
import { Trouble } from './trouble.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-lock-'))
after(() => rmSync(folder, { recursive: true }))

test('[L14] a folder has one holder, who is named, and is free again after release', () => {
  const lock = lockFolder(folder)
  throws(
    () => lockFolder(folder),
    (error: Error) => error instanceof Trouble && error.message.includes(`process ${process.pid}`),
  )
  lock.release()
  lockFolder(folder).release()
})

test('[L14] a holder that is killed leaves nothing that keeps the next one out', async () => {
  const code = `import { lockFolder } from './src/lock.ts'; lockFolder(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = (await once(holder.stdout, 'data')) as [Buffer]
  match(String(said), /held/)
  throws(() => lockFolder(folder), Trouble)
  const ended = once(holder, 'exit')
  holder.kill('SIGKILL')
  equal((await ended)[1], 'SIGKILL')
  lockFolder(folder).release()
})

test('[L12] what keeps a folder from being locked is told in one line, and leaves the folder free', () => {
  const broken = join(folder, 'broken')
  mkdirSync(join(broken, 'nameplane.pid'), { recursive: true })
  const isOneLine = (error: Error) => error instanceof Trouble && /lock\.db: [^\n]+$/.test(error.message)
  throws(() => lockFolder(broken), isOneLine)
  rmSync(join(broken, 'nameplane.pid'), { recursive: true })
  lockFolder(broken).release()
  writeFileSync(join(broken, 'lock.db'), 'no database, and longer than the head of one: '.repeat(20))
  throws(() => lockFolder(broken), isOneLine)
})
