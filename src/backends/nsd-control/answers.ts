import { nameKey, parseName } from '../../dns/name.ts'

/** What became of one line of `addzones` or `delzones`: `notes` are what NSD said of it. */
export type LineOutcome = { readonly taken: boolean; readonly notes: readonly string[] }

/** A zone as `zonestatus` tells it; one that stands in nsd.conf itself has no pattern. */
export type ZoneStatus = {
  readonly name: string
  pattern?: string
  state?: string
  served?: string
}

/** A key as `print_tsig` tells it. */
export type KeyLine = { readonly name: string; readonly algorithm: string; readonly secret: string }

/** What NSD said of each line that it was given, in their order; undefined where its answer is not that of `addzones` and `delzones`. */
export function bulkOutcomes(names: readonly string[], answer: readonly string[]): LineOutcome[] | undefined {
  const outcomes: LineOutcome[] = []
  let notes: string[] = []
  for (const line of answer) {
    const name = names[outcomes.length]
    if (name === undefined) return /^(?:added|deleted) \d+ zones$/.test(line) ? outcomes : undefined
    const taken = line === `added: ${name}` || line === `removed: ${name}`
    if (taken || line === `error for input line '${name}'`) {
      outcomes.push({ taken, notes })
      notes = []
    } else if (/^(?:added|removed): |^error for input line /.test(line)) return undefined
    else notes.push(line)
  }
  return undefined
}

export const isThereAlready = ({ notes }: LineOutcome): boolean => notes.some((note) => note.endsWith('already exists'))

export const isNotThere = ({ notes }: LineOutcome): boolean => notes.some((note) => note.endsWith('not present'))

/** Reads `zonestatus` line by line, and gives each zone once it is whole. */
export class StatusReader {
  readonly #take: (zone: ZoneStatus) => void
  #zone: ZoneStatus | undefined

  constructor(take: (zone: ZoneStatus) => void) {
    this.#take = take
  }

  line(text: string): void {
    const [, isField, field, value] = /^(\t?)([a-z-]+):[\t ](.*)$/.exec(text) ?? []
    if (value === undefined) return
    if (!isField && field === 'zone') {
      this.end()
      this.#zone = { name: canonical(value) }
    } else if (this.#zone !== undefined) {
      if (field === 'pattern') this.#zone.pattern = value
      if (field === 'state') this.#zone.state = value
      if (field === 'served-serial') this.#zone.served = value
    }
  }

  end(): void {
    if (this.#zone !== undefined) this.#take(this.#zone)
    this.#zone = undefined
  }
}

export function keysOf(answer: readonly string[]): KeyLine[] {
  return answer.flatMap((line) => {
    const [, name, secret, algorithm] = /^key: name: "(.*)" secret: "(.*)" algorithm: (\S+)$/.exec(line) ?? []
    if (name === undefined || secret === undefined || algorithm === undefined) return []
    return [{ name: canonical(name), secret, algorithm }]
  })
}

/** A name as NSD keeps it (as it was given, perhaps without the final dot) in lower case and in the text it has with us. */
function canonical(name: string): string {
  try {
    return nameKey(parseName(name, '.'))
  } catch {
    return name
  }
}
