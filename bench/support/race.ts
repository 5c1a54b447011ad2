/** Runs each contestant in turns, so that all see the same machine; returns the best of their rounds, the least disturbed. */
export function race<K extends string>(
  contestants: Readonly<Record<K, () => void>>,
  seconds: number,
): Record<K, number> {
  const names = Object.keys(contestants) as K[]
  const rounds: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]))
  for (const name of names) perSecond(contestants[name], seconds / 2)
  for (let round = 0; round < 5; round++)
    for (const name of names) rounds[name]!.push(perSecond(contestants[name], seconds / 5))
  return Object.fromEntries(names.map((name) => [name, Math.max(...rounds[name]!)])) as Record<K, number>
}

/** By the processor's time, not the clock's: other programs must not count. */
function perSecond(run: () => void, seconds: number): number {
  const start = process.cpuUsage()
  let count = 0
  let spent = 0
  do {
    for (let i = 0; i < 200; i++) run()
    count += 200
    const { user, system } = process.cpuUsage(start)
    spent = (user + system) / 1e6
  } while (spent < seconds)
  return count / spent
}
