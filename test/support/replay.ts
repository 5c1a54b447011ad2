import { readFileSync } from 'node:fs'
import type { Api } from './api.ts'

/** One exchange with a running Designate, trimmed to what is compared; `{base}` stands for its address. */
export type Exchange = {
  readonly capture: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }
  readonly response: {
    readonly status: number
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: unknown
    readonly text?: string
  }
}

/** One thing that is not as Designate had it: the capture, and `place: theirs → ours`. */
export type Difference = { readonly capture: string; readonly what: string }

export const goldens = (name: string): Exchange[] =>
  JSON.parse(readFileSync(new URL(`../golden/designate/${name}.json`, import.meta.url), 'utf8')) as Exchange[]

/**
 * Plays exchanges in order against the OpenStack mount and tells every difference; ids are mapped as they appear.
 * `prepare` brings about what happened beside the requests.
 */
export async function replay(
  api: Api,
  exchanges: readonly Exchange[],
  prepare: (exchange: Exchange) => Promise<void> = async () => {},
): Promise<Difference[]> {
  const ids = new Map<string, string>()
  const asOurs = (text: string): string => {
    let mapped = text.replaceAll('{base}', `${api.url}/openstack`)
    for (const [theirs, ours] of ids) {
      for (const form of [same, withoutDashes, inCapitals]) mapped = mapped.replaceAll(form(theirs), form(ours))
    }
    return mapped
  }
  const differences: Difference[] = []
  for (const exchange of exchanges) {
    const { capture, request, response } = exchange
    await prepare(exchange)
    const path = asOurs(request.path)
    const answer = await api.call<unknown>(
      request.method,
      path === '/' || path.startsWith('/v2') ? `/openstack${path}` : path,
      {
        ...(request.headers && { headers: request.headers }),
        ...(request.body !== undefined && { raw: asOurs(request.body) }),
      },
    )
    learnId(ids, response.body, answer.body)
    const theirs = JSON.parse(asOurs(JSON.stringify(response))) as Exchange['response']
    const add = (what: string) => differences.push({ capture, what })
    compare('status', theirs.status, answer.status, add)
    // Where one accepts what the other refuses, there is nothing more to compare.
    if (theirs.status < 400 !== answer.status < 400) continue
    for (const [name, value] of Object.entries(theirs.headers ?? {})) {
      const ours = answer.headers.get(name)
      compare(`header ${name}`, value, value.startsWith('req-') && ours ? value : ours, add)
    }
    if (theirs.text !== undefined) compare('body', theirs.text, answer.body === undefined ? answer.text : '(JSON)', add)
    else if (answer.status >= 400) compareErrors(theirs.body, answer.body, add)
    else compare('body', theirs.body, answer.body, add)
  }
  return differences
}

const same = (id: string) => id
const withoutDashes = (id: string) => id.replaceAll('-', '')
const inCapitals = (id: string) => id.toUpperCase()

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function learnId(ids: Map<string, string>, theirs: unknown, ours: unknown): void {
  if (!isObject(theirs) || !isObject(ours)) return
  if (typeof theirs.id === 'string' && typeof ours.id === 'string' && theirs.id !== ours.id) ids.set(theirs.id, ours.id)
  for (const [key, rows] of Object.entries(theirs)) {
    const present = ours[key]
    if (isList(rows) && isList(present)) for (const row of rows) learnRow(ids, row, present)
  }
}

/** What the service made itself is first seen in a list; there it is known by its name and type. */
function learnRow(ids: Map<string, string>, theirs: Row, ours: readonly Row[]): void {
  if (ids.has(theirs.id) || theirs.name === undefined) return
  const known = new Set(ids.values())
  const same = ours.find((row) => !known.has(row.id) && row.name === theirs.name && row.type === theirs.type)
  if (same !== undefined && same.id !== theirs.id) ids.set(theirs.id, same.id)
}

/** Of errors the words are ours; code, type and which keys there are must agree. */
function compareErrors(theirs: unknown, ours: unknown, add: (what: string) => void): void {
  if (!isObject(theirs) || !isObject(ours)) return void compare('body', theirs, ours, add)
  compare('body.code', theirs.code, ours.code, add)
  compare('body.type', theirs.type, ours.type, add)
  compare('body keys', Object.keys(theirs).toSorted(), Object.keys(ours).toSorted(), add)
  for (const [what, form] of [
    ['Could not find', /^Could not find/],
    ['Invalid UUID', /^Invalid UUID/],
    ['Duplicate', /^Duplicate/],
  ] as const) {
    if (form.test(String(theirs.message))) compare(`message (${what})`, theirs.message, ours.message, add)
  }
}

function compare(place: string, theirs: unknown, ours: unknown, add: (what: string) => void): void {
  if (isObject(theirs) && isObject(ours)) {
    for (const key of new Set([...Object.keys(theirs), ...Object.keys(ours)]))
      compare(`${place}.${key}`, theirs[key], ours[key], add)
    return
  }
  if (isList(theirs) && isList(ours)) return void compareLists(place, theirs, ours, add)
  const [a, b] = [plain(theirs), plain(ours)]
  if (areTexts(theirs) && areTexts(ours) && a !== b && plain(theirs.toSorted()) === plain(ours.toSorted()))
    add(`${place}: other order`)
  else if (a !== b) add(`${place}: ${a} → ${b}`)
}

type Row = { readonly id: string; readonly name?: unknown; readonly type?: unknown }

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const isList = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && typeof item.id === 'string')

/** Resources are matched by id; that they stand in another order is one difference. */
function compareLists(place: string, theirs: readonly Row[], ours: readonly Row[], add: (what: string) => void): void {
  const byId = new Map(ours.map((item) => [item.id, item]))
  for (const item of theirs) {
    if (byId.has(item.id)) compare(`${place}[]`, item, byId.get(item.id), add)
  }
  const order = (items: readonly Row[]) => items.map(({ id }) => id)
  if (plain(order(theirs).toSorted()) !== plain(order(ours).toSorted())) add(`${place}: other rows`)
  else if (plain(order(theirs)) !== plain(order(ours))) add(`${place}: other order`)
}

const moment = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}"/g

const plain = (value: unknown): string => sorted(value).replaceAll(moment, '(time)')

/** JSON with keys in order, so that the order of keys is no difference. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'absent'
  return `{${Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${sorted(value[key])}`)
    .join(',')}}`
}
