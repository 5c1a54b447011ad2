import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import { StreamPlaces } from './stream-places.ts'

/** Somebody who wants a place, keeps it until told to leave, and notes when they came in. */
function visitor(places: StreamPlaces, project: string, name: string, inside: string[]) {
  const { promise, resolve: leave } = Promise.withResolvers<void>()
  const done = places.use(project, async () => {
    inside.push(name)
    await promise
  })
  done.catch(() => {})
  return { leave, done }
}

const isRefused = (error: unknown) =>
  error instanceof ApiError && error.status === 503 && Number(error.headers['Retry-After']) > 0

test('[I27] one project has some of the places, so that others find one', async () => {
  const places = new StreamPlaces({ atOnce: 4, ofOneProject: 2 })
  const inside: string[] = []
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => visitor(places, name[0]!, name, inside))
  await sleep(1)
  deepEqual(inside, ['a1', 'a2', 'b1', 'c1'])
  ok(places.isWantedOf('a'))
  equal(places.isWantedOf('b'), false, 'a has what it may have, so nobody else has to leave for it')
  all[4]!.leave()
  await sleep(1)
  deepEqual(inside.slice(4), ['b2'])
  all[0]!.leave()
  await sleep(1)
  deepEqual(inside.slice(5), ['a3'])
  equal(places.isWantedOf('c'), false)
  for (const { leave } of all) leave()
  await Promise.all(all.map(({ done }) => done))
})

test('[I27] who waits too long is refused, and takes no place later', async () => {
  const places = new StreamPlaces({ atOnce: 1, ofOneProject: 1, waitMilliseconds: 20 })
  const inside: string[] = []
  const first = visitor(places, 'a', 'first', inside)
  await rejects(visitor(places, 'b', 'late', inside).done, isRefused)
  first.leave()
  await first.done
  const next = visitor(places, 'c', 'next', inside)
  next.leave()
  await next.done
  deepEqual(inside, ['first', 'next'])
})

test('[I27] who finds too many waiting, of its project or in all, is refused at once', async () => {
  const places = new StreamPlaces({ atOnce: 1, ofOneProject: 1, waitingOfOneProject: 2, waiting: 3 })
  const inside: string[] = []
  const held = ['a', 'a', 'a'].map((project, i) => visitor(places, project, `a${i}`, inside))
  await rejects(visitor(places, 'a', 'one more', inside).done, isRefused)
  held.push(visitor(places, 'b', 'b', inside))
  await rejects(visitor(places, 'c', 'c', inside).done, isRefused)
  for (const { leave } of held) leave()
  await Promise.all(held.map(({ done }) => done))
  deepEqual(inside, ['a0', 'a1', 'a2', 'b'])
})

test('[I27] a place is free again when what was done in it failed', async () => {
  const places = new StreamPlaces({ atOnce: 1, ofOneProject: 1 })
  await rejects(
    places.use('a', () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  equal(await places.use('a', async () => 7), 7)
})
