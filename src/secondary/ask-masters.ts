import { askSerial, type Patience } from '../exchange/client.ts'
import type { Server } from '../exchange/server.ts'

/** A master of a zone, and as its owner wrote it. */
export type Master = { readonly name: string; readonly master: Server }

/** What a master tells when it is asked for its serial; an error where it tells none. */
export type Told = Master & { readonly serial: number | undefined; readonly error: unknown }

const momentMilliseconds = 300

/**
 * Asks masters for the serial of a zone, in their order, and gives what they tell as it comes. The next one is asked when one has
 * told something, or has let a moment pass: one that is away holds up nobody. Who wants to hear no more leaves the loop.
 */
export async function* askMasters(
  masters: readonly Master[],
  zone: string,
  { patience, signal }: { readonly patience: Patience; readonly signal: AbortSignal },
): AsyncGenerator<Told, void> {
  const left = new AbortController()
  const until = { patience, signal: AbortSignal.any([signal, left.signal]) }
  const waiting = new Map<string, Promise<Told>>()
  try {
    for (let asked = 0; asked < masters.length || waiting.size > 0; ) {
      const next = masters[asked]
      if (next !== undefined) {
        waiting.set(next.name, tell(next, askSerial(next.master, zone, until)))
        asked += 1
      }
      const moment = asked < masters.length ? [pause(momentMilliseconds)] : []
      const told = await Promise.race([...waiting.values(), ...moment])
      if (told === undefined) continue
      waiting.delete(told.name)
      yield told
    }
  } finally {
    left.abort()
  }
}

const tell = (one: Master, asked: Promise<number>): Promise<Told> =>
  asked.then(
    (serial) => ({ ...one, serial, error: undefined }),
    (error: unknown) => ({ ...one, serial: undefined, error }),
  )

const pause = (milliseconds: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds, undefined).unref())
