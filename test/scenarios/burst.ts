import { equal, ok } from 'node:assert/strict'
import { ask } from '../support/dns-client.ts'
import { serialOf } from '../support/targets.ts'
import { type ShownZone, type World, within } from './world.ts'

/** What was last acknowledged of a zone, and what was asked of it without an answer. */
type Known = { readonly name: string; id: string; sets: string[]; isDeleted: boolean; isUnsure: boolean }

/** People who make, change and delete zones until the service goes away, and remember what they were told. */
export class BurstOfEdits {
  readonly #world: Pick<World, 'ask' | 'call' | 'leaves'>
  readonly #known: Known[] = []
  #made = 0
  acknowledged = 0

  constructor(world: Pick<World, 'ask' | 'call' | 'leaves'>) {
    this.#world = world
  }

  /** Edits while something is done, which ends it. */
  async during(act: () => Promise<void>): Promise<void> {
    let ended = false
    const editors = Array.from({ length: 4 }, () => this.#edit(() => ended))
    await act()
    ended = true
    await Promise.all(editors)
  }

  /** Every acknowledged edit has arrived at a server, and every deleted zone has left it. */
  async mustHold(port: number): Promise<void> {
    for (const known of this.#known) {
      if (known.isUnsure || known.id === '') continue
      if (known.isDeleted) {
        await this.#world.leaves(known)
        ok(await within(async () => (await serialOf(port, known.name)) === undefined), `${known.name} is still there`)
        continue
      }
      const { serial, status } = await this.#world.call<ShownZone>('GET', `/v2/zones/${known.id}`)
      equal(status, 'ACTIVE', known.name)
      equal(await serialOf(port, known.name), serial, known.name)
      for (const name of known.sets) equal((await ask(port, { name, type: 1, class: 1 })).answer.length, 1, name)
    }
  }

  async #edit(isEnded: () => boolean): Promise<void> {
    while (!isEnded()) {
      const number = this.#made++
      const known: Known = { name: `k${number}.kill.example.org.`, id: '', sets: [], isDeleted: false, isUnsure: false }
      this.#known.push(known)
      const made = await this.#ask(known, 'POST', '/v2/zones', { name: known.name, email: 'a@example.org' })
      if (made === undefined) return
      known.id = String(made.id)
      const path = `/v2/zones/${known.id}`
      for (let i = 0; i < 2; i++) {
        const name = `n${i}.${known.name}`
        if (
          (await this.#ask(known, 'POST', `${path}/recordsets`, { name, type: 'A', records: ['192.0.2.1'] })) ===
          undefined
        )
          return
        known.sets.push(name)
      }
      if (number % 3 !== 0) continue
      if ((await this.#ask(known, 'DELETE', path)) === undefined) return
      known.isDeleted = true
    }
  }

  /** Asks for an edit; undefined once the service is gone, and then nobody knows whether it was done. */
  async #ask(known: Known, method: string, path: string, body?: unknown) {
    try {
      const answer = await this.#world.ask(method, path, body)
      if (answer.status === 503) {
        known.isUnsure = true
        return undefined
      }
      ok(answer.status < 300, `${method} ${path}: ${answer.status}`)
      this.acknowledged++
      return answer.body ?? {}
    } catch (error) {
      if ((error as Error).name === 'AssertionError') throw error
      known.isUnsure = true
      return undefined
    }
  }
}
