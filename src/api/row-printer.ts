import type { Field } from './field.ts'
import type { Profile } from './profile.ts'

/** Prints rows as JSON text straight from their stored values: JSON columns are passed on unread. */
export type RowPrinter = {
  /** The columns to select, in the order in which values are given. */
  readonly columns: readonly string[]
  readonly idOf: (values: readonly unknown[]) => string
  /** Prints one row; `mount` is where its link starts, escaped for JSON. */
  readonly print: (values: readonly unknown[], mount: string) => string
}

type Printed = {
  readonly fields: Readonly<Record<string, Field<unknown>>>
  readonly links: Readonly<Record<string, string>>
}

/** How a mount prints rows with these fields; links are paths with the ids of a row in braces. */
export function rowPrinter({ fields, links }: Printed, profile: Profile): RowPrinter {
  const shown = Object.entries(fields)
  const columns = shown.map(([name, { column }]) => column ?? name)
  const parts = shown.map(([name, field], i) => ({
    key: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    kind: kindOf(field),
    shown: remembered(field, profile),
    isAbsentIfNull: field.isAbsentIfNull === true,
  }))
  const linkParts = Object.entries(links).map(([name, path], i) => ({
    key: `${i === 0 ? ',"links":{' : ','}${JSON.stringify(name)}:"`,
    fill: pathFiller(path, (id) => columns.indexOf(id)),
  }))
  const idAt = columns.indexOf('id')
  return {
    columns,
    idOf: (values) => String(values[idAt]),
    print(values, mount) {
      let text = ''
      for (let i = 0; i < parts.length; i += 1) {
        const { key, kind, shown, isAbsentIfNull } = parts[i]!
        const value = values[i]
        if (kind === 'shown') text += key + shown(value)
        else if (value !== null) text += key + textOf(kind, value)
        else if (!isAbsentIfNull) text += `${key}null`
      }
      for (const { key, fill } of linkParts) text += `${key}${mount}${fill((at) => values[at])}"`
      return `${text}}}`
    },
  }
}

/** How a stored value becomes JSON: it is JSON, it is text that needs no escapes, it is a text or number, or its field shows something else. */
type Kind = 'json' | 'plain' | 'scalar' | 'shown'

function kindOf({ json, plain, show }: Field<unknown>): Kind {
  if (show) return 'shown'
  if (json) return 'json'
  return plain ? 'plain' : 'scalar'
}

function textOf(kind: Kind, value: unknown): string {
  if (kind === 'json') return value as string
  if (typeof value === 'number') return String(value)
  // JSON.stringify takes longer than to see that a short text can stay as it is.
  return kind === 'plain' || isPlain.test(value as string) ? `"${value}"` : JSON.stringify(value)
}

const isPlain = /^[ !#-[\]-~]*$/

/** What a field shows, kept from one row to the next: it is often the same. */
function remembered({ show, json }: Field<unknown>, profile: Profile): (stored: unknown) => string {
  let last: unknown
  let text = ''
  return (stored) => {
    if (text === '' || stored !== last)
      text = JSON.stringify(show?.(json ? JSON.parse(stored as string) : stored, profile))
    last = stored
    return text
  }
}

/** A path with the ids of a row in braces, to be filled from where each id is found. */
export function pathFiller<Place>(template: string, placeOf: (name: string) => Place) {
  const [first, ...rest] = template.split('{')
  const pieces = rest.map((piece) => {
    const [name, after] = piece.split('}') as [string, string]
    return { place: placeOf(name), after }
  })
  return (at: (place: Place) => unknown): string => {
    let path = first!
    for (const { place, after } of pieces) path += at(place) + after
    return path
  }
}

/** Text as it stands between the quotes of JSON. */
export const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Values under the names of their columns. */
export const asRow = (columns: readonly string[], values: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(columns.map((name, i) => [name, values[i]]))
