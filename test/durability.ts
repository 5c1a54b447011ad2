import { deepEqual, equal, ok } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from './support/service.ts'

type Row = { readonly id: string; readonly name: string; readonly description: string | null }

/** What a writer was told, and what it asked without ever hearing back: those may or may not have happened. */
type Known = { name: string; told: Row | 'deleted' | undefined; asked: (Row | 'deleted')[] }

/** Writers that create, change and delete TLDs until the service goes away, remembering each acknowledgement. */
export class WriteStorm {
  readonly #known: Known[] = []
  #made = 0
  acknowledged = 0

  /** Runs until the connection breaks for every writer. */
  async run(url: string, writers: number): Promise<void> {
    await Promise.all(Array.from({ length: writers }, () => this.#writer(url)))
  }

  async #writer(url: string): Promise<void> {
    for (;;) {
      const known: Known = { name: `n${this.#made++}`, told: undefined, asked: [] }
      this.#known.push(known)
      if (!(await this.#live(`${url}/v2/tlds`, known))) return
    }
  }

  /** One row's life: created, changed, and every third time deleted; false once the service is gone. */
  async #live(collection: string, known: Known): Promise<boolean> {
    const made = await this.#ask(known, { id: '', name: known.name, description: null }, collection, 'POST')
    if (!made) return false
    const row = known.told as Row
    const changed = { ...row, description: `changed ${known.name}` }
    if (!(await this.#ask(known, changed, `${collection}/${row.id}`, 'PATCH'))) return false
    return this.#made % 3 !== 0 || this.#ask(known, 'deleted', `${collection}/${row.id}`, 'DELETE')
  }

  async #ask(known: Known, wanted: Row | 'deleted', url: string, method: string): Promise<boolean> {
    known.asked.push(wanted)
    const body =
      wanted === 'deleted' ? undefined : JSON.stringify({ name: wanted.name, description: wanted.description })
    const headers = { 'Content-Type': 'application/json' }
    let response: Response
    let text: string
    try {
      response = await fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(10_000),
      })
      text = await response.text()
    } catch {
      return false
    }
    // The database may go before the service does: then nothing was promised.
    if (response.status === 503) return false
    ok(response.ok, `${method} ${url}: ${response.status} ${text}`)
    known.told = wanted === 'deleted' ? 'deleted' : pick(JSON.parse(text) as Row)
    known.asked = []
    this.acknowledged += 1
    return true
  }

  /** Every acknowledged write is there; what was never answered happened whole or not at all. */
  async check(url: string): Promise<void> {
    const rows = new Map((await allTlds(url)).map((row) => [row.name, row]))
    for (const { name, told, asked } of this.#known) {
      const found = rows.get(name)
      const possible = [told, ...asked].map((state) => stateText(state))
      ok(possible.includes(stateText(found)), `${name}: found ${stateText(found)}, possible ${possible.join(' or ')}`)
    }
    equal(rows.size, new Set(rows.keys()).size)
    for (const name of rows.keys()) ok(Number(name.slice(1)) < this.#made, name)
  }
}

const pick = ({ id, name, description }: Row): Row => ({ id, name, description })

const stateText = (state: Row | 'deleted' | undefined): string =>
  state === undefined || state === 'deleted' ? 'nothing' : `${state.name}/${state.description}`

async function allTlds(url: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let next: string | undefined = `${url}/v2/tlds?limit=max`; next !== undefined; ) {
    const page = (await (await fetch(next)).json()) as { tlds: Row[]; links: { next?: string } }
    rows.push(...page.tlds)
    next = page.links.next
  }
  return rows
}

/** Kills the service in the middle of a write storm, again and again for `milliseconds`; checks after every start. */
export async function killRounds(
  service: Service,
  milliseconds: number,
): Promise<{ rounds: number; acknowledged: number }> {
  const storm = new WriteStorm()
  const deadline = performance.now() + milliseconds
  let rounds = 0
  while (rounds < 3 || performance.now() < deadline) {
    rounds += 1
    const before = storm.acknowledged
    const storming = storm.run(service.url, 16)
    // At first in the middle of writes for sure, however slow the machine; later also before the first one.
    for (let waits = 0; rounds <= 3 && storm.acknowledged === before && waits < 1000; waits += 1) await sleep(10)
    await sleep(50 + Math.random() * 400)
    equal(await service.kill('SIGKILL'), 'SIGKILL')
    await storming
    ok(rounds > 3 || storm.acknowledged > before, 'the storm wrote nothing')
    await service.restart()
    await storm.check(service.url)
  }
  const { status, database } = (await (await fetch(`${service.url}/readyz`)).json()) as Record<string, unknown>
  deepEqual({ status, database }, { status: 'ready', database: 'reachable' })
  return { rounds, acknowledged: storm.acknowledged }
}
