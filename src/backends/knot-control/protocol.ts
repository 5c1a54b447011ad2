/** What stands in a unit of the control socket, in the order of their numbers, which start at 16. */
const itemNames = [
  'command',
  'flags',
  'error',
  'section',
  'item',
  'id',
  'zone',
  'owner',
  'ttl',
  'type',
  'data',
  'filter',
] as const

export type ItemName = (typeof itemNames)[number]

/** A command, a part of an answer, or what is wrong with a command; text stands for octets, one a character. */
export type Items = { readonly [name in ItemName]?: string }

/** EXTRA carries more values of the unit before it; BLOCK ends a command or an answer, END the connection. */
export type Unit =
  | { readonly type: 'data'; readonly items: Items }
  | { readonly type: 'extra'; readonly items: Items }
  | { readonly type: 'block' }
  | { readonly type: 'end' }

/** What does not follow the protocol; the only thing that reading and writing throw. */
export class KnotError extends Error {
  override name = 'KnotError'
}

const types = ['end', 'data', 'extra', 'block'] as const
const FIRST_ITEM = 16
const MOST_LENGTH = 0xffff

/** A unit as it is sent. */
export function encodeUnit(unit: Unit): Buffer {
  const head = Buffer.of(types.indexOf(unit.type))
  if (unit.type === 'block' || unit.type === 'end') return head
  const parts = [head]
  for (const [index, name] of itemNames.entries()) {
    const value = unit.items[name]
    if (value === undefined) continue
    const octets = Buffer.from(value, 'latin1')
    if (octets.length > MOST_LENGTH) {
      throw new KnotError(`${name} must have at most ${MOST_LENGTH} octets, not ${octets.length}`)
    }
    parts.push(Buffer.of(FIRST_ITEM + index, octets.length >> 8, octets.length & 0xff), octets)
  }
  return Buffer.concat(parts)
}

/** Reads units from a stream. A unit with items is whole only when the next one begins. */
export class UnitDecoder {
  #rest: Buffer = Buffer.alloc(0)
  #open: { readonly type: 'data' | 'extra'; readonly items: { [name in ItemName]?: string } } | undefined

  push(chunk: Buffer): Unit[] {
    const octets = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const units: Unit[] = []
    let at = 0
    while (at < octets.length) {
      const code = octets[at]!
      const type = types[code]
      if (type === undefined) {
        const end = this.#item(octets, at)
        if (end === undefined) break
        at = end
        continue
      }
      at++
      if (this.#open !== undefined) units.push(this.#open)
      this.#open = undefined
      if (type === 'data' || type === 'extra') this.#open = { type, items: {} }
      else units.push({ type })
    }
    this.#rest = octets.subarray(at)
    return units
  }

  /** Takes the item at an offset into the open unit; its end, or undefined where it is not whole yet. */
  #item(octets: Buffer, at: number): number | undefined {
    const name = itemNames[octets[at]! - FIRST_ITEM]
    if (name === undefined) throw new KnotError(`an answer has an unknown code ${octets[at]}`)
    if (this.#open === undefined) throw new KnotError('an answer has an item outside of a unit')
    if (at + 3 > octets.length) return undefined
    const end = at + 3 + octets.readUInt16BE(at + 1)
    if (end > octets.length) return undefined
    this.#open.items[name] = octets.toString('latin1', at + 3, end)
    return end
  }
}
