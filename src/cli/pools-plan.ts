import type { Fault } from '../errors.ts'
import { defaultPoolId } from '../resources/pools/fields.ts'
import { type Change, Changes, stages } from './pools-change.ts'
import { poolChanges } from './pools-changes.ts'
import type { WantedPool } from './pools-file.ts'
import { placeText, wrong } from './pools-read.ts'
import type { PoolState, PoolView } from './pools-state.ts'
import { count, shown } from './pools-words.ts'

/** What becomes of one pool. */
export type PoolPlan = {
  readonly title: string
  readonly changes: Pick<Changes, 'lines' | 'notes' | 'keptSecrets' | 'all'>
}

/** A pool of the file and the one of the service that it is. */
export type Pair = { readonly wanted: WantedPool; readonly present: PoolView | undefined }

/** Finds the pool that each pool of a file is: by its id, else by its name. */
export function matchPools(wanted: readonly WantedPool[], pools: readonly PoolView[], faults: Fault[]): Pair[] {
  const taken = new Map<string, WantedPool>()
  return wanted.map((one) => {
    const present = pools.find(({ id }) => id === one.id) ?? pools.find(({ name }) => name === one.name)
    if (present === undefined) return { wanted: one, present }
    const other = taken.get(present.id)
    if (other !== undefined) wrong(faults, one.path, `is the same pool as ${placeText(other.path)}: ${present.id}`)
    taken.set(present.id, one)
    const namesake = pools.find(({ id, name }) => name === one.name && id !== present.id)
    if (namesake !== undefined) wrong(faults, [...one.path, 'name'], `is the name of another pool, ${namesake.id}`)
    return { wanted: one, present }
  })
}

/** What makes a pool of the service that of the file. */
export function planPool(
  wanted: WantedPool,
  state: PoolState | undefined,
  sendSecrets: boolean,
  faults: Fault[],
): PoolPlan {
  const changes = poolChanges(wanted, state, sendSecrets, faults)
  if (wanted.id !== undefined && wanted.id !== state?.pool.id) {
    const id = state === undefined ? 'the service gives it one' : `the pool of this name has ${state.pool.id}`
    changes.notes.unshift(`the id ${wanted.id} of the file is not used: ${id}`)
  }
  const title =
    state === undefined ? `+ pool ${shown(wanted.name)}` : `~ pool ${shown(state.pool.name)} (${state.pool.id})`
  return { title, changes }
}

/** What takes away pools that the file does not have; the default pool stays. */
export function planRemovals(pools: readonly PoolView[], pairs: readonly Pair[]): PoolPlan[] {
  const listed = new Set(pairs.map(({ present }) => present?.id))
  return pools
    .filter(({ id }) => id !== defaultPoolId && !listed.has(id))
    .map(({ id, name }) => {
      const changes = new Changes(name, id, [])
      changes.notes.push('a pool that holds zones is not deleted: move or delete them first')
      changes.remove('remove pool', `/v2/pools/${id}`, `delete pool ${shown(name)}`)
      return { title: `- pool ${shown(name)} (${id})`, changes }
    })
}

/** The plan as a person reads it. */
export function planText(plans: readonly PoolPlan[]): string {
  const all = inOrder(plans)
  const kept = plans.flatMap(({ changes }) => changes.keptSecrets)
  const secrets = kept.map(
    (one) => `note: ${one} is set already, cannot be compared and stays; --secrets sends it again\n`,
  )
  if (all.length === 0) return `${secrets.join('')}Nothing to change.\n`
  const parts = plans
    .filter(({ changes }) => changes.all.length > 0)
    .flatMap(({ title, changes: { lines, notes } }) => [
      title,
      ...lines.map((line) => `  ${line}`),
      ...notes.map((note) => `  note: ${note}`),
    ])
  const [added, changed, removed] = (['+', '~', '-'] as const).map(
    (sign) => all.filter((change) => change.sign === sign).length,
  )
  const sum = `${count(all.length, 'change')}: ${added} to add, ${changed} to change, ${removed} to remove.`
  return `${parts.join('\n')}\n${secrets.join('')}${sum}\n`
}

/** Every request of a plan, in the order in which they are sent. */
export const inOrder = (plans: readonly PoolPlan[]): readonly Change[] =>
  plans.flatMap(({ changes }) => changes.all).toSorted((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage))
