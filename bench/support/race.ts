/** Times each contestant a second in turns, so that all see the same machine; returns the median of their rounds. */
export function race<K extends string>(
  contestants: Readonly<Record<K, () => void>>,
  seconds: number,
): Record<K, number> {
  const names = Object.keys(contestants) as K[]
  const rounds: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]))
  for (const name of names) perSecond(contestants[name], seconds / 2)
  for (let round = 0; round < 5; round++)
    for (const name of names) rounds[name]!.push(perSecond(contestants[name], seconds / 5))
  return Object.fromEntries(names.map((name) => [name, rounds[name]!.toSorted((a, b) => a - b)[2]!])) as Record<
    K,
    number
  >
}

function perSecond(run: () => void, seconds: number): number {
  const start = performance.now()
  let count = 0
  let elapsed = 0
  do {
    for (let i = 0; i < 200; i++) run()
    count += 200
    elapsed = performance.now() - start
  } while (elapsed < seconds * 1000)
  return (count * 1000) / elapsed
}
