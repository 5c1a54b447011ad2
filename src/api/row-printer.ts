import type { Field } from './field.ts'
import type { Profile } from './profile.ts'

/** Prints the rows of a list as JSON text straight from their stored values: JSON columns are passed on unread. */
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

/** How a mount prints the rows of a resource in a list; links are paths with the ids of a row in braces. */
export function rowPrinter({ fields, links }: Printed, profile: Profile): RowPrinter {
  const shown = Object.entries(fields).filter(([, field]) => !field.omitInList?.(profile))
  const columns = shown.map(([name, { column }]) => column ?? name)
  const parts = shown.map(([name, field]) => ({
    key: `${JSON.stringify(name)}:`,
    text: textOf(field, profile),
    isAbsentIfNull: field.isAbsentIfNull === true,
  }))
  const linkParts = Object.entries(links).map(([name, path], i) => ({
    key: `${i === 0 ? '' : ','}${JSON.stringify(name)}:"`,
    fill: pathFiller(path, (id) => columns.indexOf(id)),
  }))
  const idAt = columns.indexOf('id')
  return {
    columns,
    idOf: (values) => String(values[idAt]),
    print(values, mount) {
      let text = '{'
      for (let i = 0; i < parts.length; i += 1) {
        const part = parts[i]!
        if (values[i] !== null || !part.isAbsentIfNull) text += `${part.key}${part.text(values[i])},`
      }
      text += '"links":{'
      for (const { key, fill } of linkParts) text += `${key}${mount}${fill((at) => values[at])}"`
      return `${text}}}`
    },
  }
}

function textOf({ json, plain, show }: Field<unknown>, profile: Profile): (stored: unknown) => string {
  if (show) return (stored) => JSON.stringify(show(json ? JSON.parse(stored as string) : stored, profile))
  if (json) return (stored) => (stored as string | null) ?? 'null'
  return plain ? (stored) => (stored === null ? 'null' : `"${stored}"`) : JSON.stringify
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

/** Values under the names of their columns. */
export const asRow = (columns: readonly string[], values: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(columns.map((name, i) => [name, values[i]]))
