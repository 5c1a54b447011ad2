import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const patience = 5000

/** Has a process stand still, as one that hangs; resolves once all its threads do. SIGCONT lets it go on. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  for (const end = Date.now() + patience; threadsOf(pid).some((state) => state !== 'T'); await sleep(2))
    if (Date.now() > end) throw new Error(`process ${pid} does not stand still`)
}

function threadsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map(
    (thread) => /\) (\w)/.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1] ?? '',
  )
}
