import { setTimeout as sleep } from 'node:timers/promises'

export type Waits = { readonly read: number; readonly write: number }

/** Asks the service for small things, one read and one write every few milliseconds, until told to stop; 99 of 100 waited no longer than this, in milliseconds. */
export async function probe(
  url: string,
  zone: { readonly id: string; readonly name: string },
  until: Promise<unknown>,
  run: string,
): Promise<Waits> {
  const waits = { read: [] as number[], write: [] as number[] }
  let isOver = false
  void until.finally(() => {
    isOver = true
  })
  const timed = async (into: number[], path: string, options?: RequestInit) => {
    const began = performance.now()
    const response = await fetch(url + path, options)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    into.push(performance.now() - began)
  }
  for (let n = 0; !isOver; n++) {
    const body = JSON.stringify({ name: `${run}-${n}.${zone.name}`, type: 'A', records: ['192.0.2.1'] })
    const headers = { 'Content-Type': 'application/json' }
    await Promise.all([
      timed(waits.read, `/v2/zones/${zone.id}`),
      timed(waits.write, `/v2/zones/${zone.id}/recordsets`, { method: 'POST', headers, body }),
    ])
    await sleep(5)
  }
  return { read: percentile(waits.read), write: percentile(waits.write) }
}

const percentile = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0
