/** The known name most like the given one, or undefined when none is like it. */
function nearest(given: string, known: readonly string[]): string | undefined {
  const allowed = Math.max(2, Math.floor(given.length / 3))
  let best: string | undefined
  let bestDistance = allowed + 1
  for (const name of known) {
    const distance = editDistance(given, name)
    if (distance < bestDistance) [best, bestDistance] = [name, distance]
  }
  return best
}

/** ` (did you mean NAME?)`, or nothing when no name is near. */
export function suggestion(given: string, known: readonly string[]): string {
  const name = nearest(given, known)
  return name === undefined ? '' : ` (did you mean ${name}?)`
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      next[j] = same ? row[j - 1]! : 1 + Math.min(row[j - 1]!, row[j]!, next[j - 1]!)
    }
    row = next
  }
  return row[b.length]!
}
