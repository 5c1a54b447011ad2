import { setTimeout as sleep } from 'node:timers/promises'
import type { TargetZone } from '../kind.ts'
import { plainName } from '../plain-name.ts'
import type { Reply, RndcConnection } from './connection.ts'
import { RndcError } from './protocol.ts'
import { type HeldZone, isFileOfOther, readZone, zoneBlock, zoneFile } from './zone-statement.ts'

export type NamedPlace = {
  readonly connection: RndcConnection
  readonly view: string | undefined
  /** Whether a zone's file goes with it. */
  readonly clean: boolean
}

// delzone answers before the zone is gone: until then it can neither be added nor shown.
const GOING_TRIES = 50
const GOING_WAIT = 20

/** The zones of a named. Each act resolves with why it was refused, or with nothing. */
export class NamedZones {
  readonly #connection: RndcConnection
  readonly #view: string | undefined
  readonly #clean: boolean

  constructor({ connection, view, clean }: NamedPlace) {
    this.#connection = connection
    this.#view = view
    this.#clean = clean
  }

  async add(zone: TargetZone, primaries: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const fault = viewFault(this.#view)
    if (fault !== undefined) return fault
    const file = zoneFile(zone, this.#view)
    for (let attempt = 0; attempt < GOING_TRIES; attempt++) {
      if (attempt > 0) await sleep(GOING_WAIT, undefined, { signal })
      const added = await this.#run('addzone', zone, signal, zoneBlock(primaries, file))
      if (added.error !== 'already exists') return reasonOf(added, this.#view)
      const shown = await this.#run('showzone', zone, signal)
      if (shown.error === 'not found') continue
      if (shown.error !== '') return reasonOf(shown, this.#view)
      const held = readHeld(shown)
      if (held?.type !== 'secondary') return ownZone(held)
      if (!isFileOfOther(held.file, zone))
        return this.#mend(zone, held, zoneBlock(primaries, held.file ?? file), signal)
      // A zone that was deleted and made anew under its name is another one: nothing of the old may stay.
      const dropped = await this.#delete(zone, signal)
      if (dropped !== undefined) return dropped
    }
    return 'named has a zone of this name that it is still letting go'
  }

  async drop(zone: TargetZone, signal: AbortSignal): Promise<string | undefined> {
    const fault = viewFault(this.#view)
    if (fault !== undefined) return fault
    const shown = await this.#run('showzone', zone, signal)
    if (isGone(shown)) return undefined
    const held = shown.error === '' ? readHeld(shown) : undefined
    // What the server has as its own, or as another zone of ours under the same name, is not what is to go.
    if (held && (held.type !== 'secondary' || isFileOfOther(held.file, zone))) return undefined
    return this.#delete(zone, signal)
  }

  async #delete(zone: TargetZone, signal: AbortSignal): Promise<string | undefined> {
    const dropped = await this.#run(this.#clean ? 'delzone -clean' : 'delzone', zone, signal)
    return isGone(dropped) ? undefined : reasonOf(dropped, this.#view)
  }

  async #mend(zone: TargetZone, held: HeldZone, block: string, signal: AbortSignal): Promise<string | undefined> {
    const wanted = readZone(`zone "." ${block}`)
    if (held.file !== undefined && samePrimaries(held, wanted)) return undefined
    return reasonOf(await this.#run('modzone', zone, signal, block), this.#view)
  }

  #run(command: string, { name }: TargetZone, signal: AbortSignal, block = ''): Promise<Reply> {
    const view = this.#view === undefined ? '' : ` IN ${this.#view}`
    return this.#connection.run(`${command} "${plainName(name)}"${view} ${block}`.trimEnd(), signal)
  }
}

/** What a refusal of named means, with the setting that is behind it where that is known. */
export function reasonOf({ error, text }: Reply, view: string | undefined): string | undefined {
  if (error === '') return undefined
  const where = view === undefined ? 'its options' : `its view ${view} or its options`
  if (/not allowing new zones/i.test(text)) return `named takes no new zones: allow-new-zones is not yes in ${where}`
  if (/no matching view/i.test(text)) {
    return view === undefined
      ? 'named has views, and the target does not say which: set its option view'
      : `named has no view ${view}`
  }
  // named says no more than this to those whose control is read-only.
  if (error === 'failure' && text === '') {
    return 'named refused the command without a reason: it may be that its controls statement says read-only yes; its log tells more'
  }
  return `named refused: ${[error, text].filter((part) => part !== '').join(': ')}`
}

const isGone = ({ error, text }: Reply): boolean => error === 'not found' && !/no matching view/i.test(text)

const samePrimaries = (a: HeldZone, b: HeldZone): boolean => a.primaries.join('\n') === b.primaries.join('\n')

function ownZone(held: HeldZone | undefined): string {
  return `named has a zone of this name of its own (type ${held?.type || 'unknown'}): remove it there, or the zone here`
}

function readHeld({ text }: Reply): HeldZone | undefined {
  try {
    return readZone(text)
  } catch (error) {
    if (error instanceof RndcError) return undefined
    throw error
  }
}

/** What is wrong with a view's name, which named takes over rndc only as a plain word. */
export function viewFault(view: string | undefined): string | undefined {
  if (view === undefined || /^[A-Za-z0-9_.:+-]{1,255}$/.test(view)) return undefined
  return 'the option view must be the name of a view, of letters, digits and _ . : + -: named takes no other over rndc'
}
