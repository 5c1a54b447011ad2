import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BlockCoverage } from './fuzz/coverage.ts'
import { mutate, seededRandom } from './fuzz/mutate.ts'
import type { FuzzTarget } from './fuzz/targets.ts'

// Looking at the counters takes as long as many inputs, so they are looked at after a batch; only a batch that reached
// something new is run again, in ever smaller parts, to see which inputs did.
const BATCH = 500
const SLOWEST = 1000
const MOST_FAILURES = 10

const coverage = new BlockCoverage('/src/dns/')
const { targets } = await import('./fuzz/targets.ts')

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    target: { type: 'string', multiple: true, default: Object.keys(targets) },
    seed: { type: 'string', default: String(Date.now() % 0x7fffffff) },
    out: { type: 'string', default: join(import.meta.dirname, '..', 'data', 'fuzz') },
  },
})

let failures = 0
for (const name of values.target) {
  const target = targets[name]
  if (target === undefined) throw new Error(`--target is one of ${Object.keys(targets).join(', ')}, not ${name}`)
  failures += fuzz(name, target, Number(values.seconds) / values.target.length)
}
process.exit(failures > 0 ? 1 : 0)

/** Feeds a target for some time with what is made of the inputs that reached new code; returns how many places failed. */
function fuzz(name: string, target: FuzzTarget, seconds: number): number {
  const random = seededRandom(Number(values.seed))
  const inputs = [...target.seeds]
  const failed = new Set<string>()
  coverage.take()
  for (const input of inputs) attempt(name, target, input, failed)
  const reached = coverage.take()
  const seeded = reached.size
  const end = performance.now() + seconds * 1000
  let runs = 0
  while (performance.now() < end && failed.size < MOST_FAILURES) {
    const batch = Array.from({ length: BATCH }, () => mutate(inputs, target.words, random))
    for (const input of batch) attempt(name, target, input, failed)
    runs += BATCH
    const fresh = coverage.take().difference(reached)
    for (const block of fresh) reached.add(block)
    inputs.push(...reaching(target, batch, fresh, end))
  }
  console.log(
    `${name}: ${runs} inputs, ${inputs.length} kept, ${seeded} → ${reached.size} blocks, ${failed.size} failures (seed ${values.seed})`,
  )
  return failed.size
}

/** The inputs that reach the wanted blocks, which it takes off the list; found by halving. */
function reaching(target: FuzzTarget, inputs: readonly Uint8Array[], wanted: Set<string>, end: number): Uint8Array[] {
  if (wanted.size === 0 || performance.now() > end) return []
  for (const input of inputs) {
    try {
      target.check(input)
    } catch {
      // It has been reported.
    }
  }
  const ran = coverage.take().intersection(wanted)
  if (ran.size === 0) return []
  if (inputs.length > 1) {
    const half = inputs.length >> 1
    const first = reaching(target, inputs.slice(0, half), wanted, end)
    return [...first, ...reaching(target, inputs.slice(half), wanted, end)]
  }
  for (const block of ran) wanted.delete(block)
  return [...inputs]
}

function attempt(name: string, target: FuzzTarget, input: Uint8Array, failed: Set<string>): void {
  const start = performance.now()
  let fault: string | undefined
  try {
    target.check(input)
  } catch (error) {
    fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  const took = performance.now() - start
  if (fault === undefined && took > SLOWEST) fault = `took ${Math.round(took)} ms`
  if (fault !== undefined) save(name, input, fault, failed)
}

/** Keeps a failing input, one for each place it failed at. */
function save(name: string, input: Uint8Array, fault: string, failed: Set<string>): void {
  const place = fault.split('\n').find((line) => line.includes('/src/')) ?? fault.split('\n')[0]!
  if (failed.has(place)) return
  failed.add(place)
  mkdirSync(values.out, { recursive: true })
  const file = join(values.out, `${name}-${createHash('sha1').update(input).digest('hex').slice(0, 12)}`)
  writeFileSync(file, input)
  console.error(`${name}: ${file}\n${fault}\n`)
}
