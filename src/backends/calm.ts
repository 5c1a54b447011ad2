import { setTimeout as sleep } from 'node:timers/promises'

/** Waits while what is to be done grows, up to a limit: what comes in a burst costs less when it is done together. */
export async function untilCalm(
  size: () => number,
  { quiet, most, signal }: { readonly quiet: number; readonly most: number; readonly signal?: AbortSignal },
): Promise<void> {
  const end = performance.now() + most
  for (let before = -1; size() !== before && performance.now() < end && signal?.aborted !== true; ) {
    before = size()
    await sleep(quiet)
  }
}
