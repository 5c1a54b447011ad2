import type { Items } from './protocol.ts'
import type { Answer } from './session.ts'

/** The items of a configured thing, each with its values. */
export type Held = ReadonlyMap<string, readonly string[]>

/** A thing as it should be configured; an item without values is one that it must not have. */
export type Wanted = {
  readonly section: string
  readonly id: string
  readonly items: Readonly<Record<string, readonly string[]>>
}

/** What an answer to conf-get or conf-read tells of one thing; undefined where it is not there. */
export function heldOf({ values }: Answer): Held | undefined {
  if (values.length === 0) return undefined
  const held = new Map<string, string[]>()
  for (const { item = '', data } of values) {
    const list = held.get(item) ?? []
    if (data !== undefined) list.push(data)
    held.set(item, list)
  }
  return held
}

/** What an answer tells of all things of a section, by their ids. */
export function allOf({ values }: Answer): Map<string, Held> {
  const all = new Map<string, Items[]>()
  for (const items of values) {
    const id = items.id ?? items.data ?? ''
    all.set(id, [...(all.get(id) ?? []), items])
  }
  return new Map([...all].map(([id, items]) => [id, heldOf({ values: items, errors: [] })!]))
}

/** The commands that make a thing as it should be; none where it is so. */
export function commandsFor({ section, id, items }: Wanted, held: Held | undefined): Items[] {
  const commands: Items[] = held === undefined ? [{ command: 'conf-set', section, id }] : []
  for (const [item, values] of Object.entries(items)) {
    const present = held?.get(item) ?? []
    if (present.length === values.length && values.every((value) => present.includes(value))) continue
    if (present.length > 0) commands.push({ command: 'conf-unset', section, id, item })
    for (const data of values) commands.push({ command: 'conf-set', section, id, item, data })
  }
  return commands
}

/** What knotd has against a command, as knotc would show it. */
export function faultText({ error, section, id, item, data }: Items): string {
  const place = `${section ?? ''}${id === undefined ? '' : `[${id}]`}${item === undefined ? '' : `.${item}`}`
  // A secret is not for those who read errors.
  const value = data === undefined || item === 'secret' ? '' : ` = ${data}`
  return `knotd refused ${place}${value}: ${error}`
}
