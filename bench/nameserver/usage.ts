import { readdirSync, readFileSync } from 'node:fs'

/** A process and all below it. */
export function tree(pid: number): number[] {
  const below = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
  return [pid, ...below.flatMap(tree)]
}

/** The processor time, user and system, that a server's processes have used so far, in microseconds. */
export function cpuOf(pid: number): number {
  let nanoseconds = 0
  for (const one of tree(pid)) {
    for (const task of readdirSync(`/proc/${one}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${one}/task/${task}/schedstat`, 'utf8').split(' ')[0])
    }
  }
  return nanoseconds / 1000
}

/** The memory of a server's processes in megabytes; memory they share counts once in `pss`. */
export function memoryOf(pid: number): { readonly rss: number; readonly pss: number } {
  let [rss, pss] = [0, 0]
  for (const one of tree(pid)) {
    const text = readFileSync(`/proc/${one}/smaps_rollup`, 'utf8')
    rss += kilobytes(text, 'Rss')
    pss += kilobytes(text, 'Pss')
  }
  return { rss: rss / 1024, pss: pss / 1024 }
}

const kilobytes = (text: string, what: string): number =>
  Number(new RegExp(`^${what}: +(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
