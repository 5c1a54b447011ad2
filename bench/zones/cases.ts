import { addressOf, askingProject, isChild, projectOf, sharedAddress, zoneName } from './made-up.ts'

/** One kind of request: given its number, the whole HTTP request. `grows` tells those that are not held to the aim. */
export type Case = { readonly name: string; readonly request: (i: number) => string; readonly grows?: boolean }

/** What cases are made from: the ids of some zones and sets of the asking project, by the numbers of their zones. */
export type Sample = {
  readonly numbers: readonly number[]
  readonly zoneIds: readonly string[]
  readonly setIds: readonly string[]
}

/** Numbers of zones of the asking project from all over a store, in a mixed order. */
export function sampleNumbers(zones: number, wanted: number): number[] {
  const found: number[] = []
  for (let i = 0; found.length < wanted; i += 1) {
    const number = (Math.imul(i, 0x9e3779b1) >>> 0) % zones
    if (projectOf(number) === askingProject && !isChild(number)) found.push(number)
  }
  return found
}

const head = (more = '') =>
  `Host: 127.0.0.1:9001\r\nAccept: application/json\r\nX-Auth-Project-ID: ${askingProject}\r\n${more}`
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${head(more)}\r\n`
const post = (path: string, body: object): string => {
  const text = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\n${head(`Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`)}\r\n${text}`
}
const everyone = 'X-Auth-All-Projects: true\r\nX-Roles: admin\r\n'

const zoneKeys = ['name', 'created_at', 'updated_at', 'serial', 'ttl', 'status', 'project_id']
const setKeys = ['name', 'created_at', 'updated_at', 'type', 'ttl', 'zone_id', 'project_id']

/** Every request that is measured on a store. */
export function casesOf({ numbers, zoneIds, setIds }: Sample): Case[] {
  const pick = <T>(from: readonly T[], i: number): T => from[i % from.length]!
  const [v2, counted] = ['/v2', '/openstack/v2']
  const of = (name: string, path: (i: number) => string, more = ''): Case => ({
    name,
    request: (i) => get(path(i), more),
  })
  const rare = (i: number) => zoneName(pick(numbers, i))
  const label = (i: number) => rare(i).split('.')[0]
  const sorted = (what: 'zones' | 'recordsets', keys: readonly string[], ids: readonly string[], more = '') =>
    keys.flatMap((key) => [
      of(`${more && 'all projects: '}${what} by ${key}`, () => `${v2}/${what}?sort_key=${key}`, more),
      of(
        `${more && 'all projects: '}${what} by ${key}, descending, deep`,
        (i) => `${v2}/${what}?sort_key=${key}&sort_dir=desc&marker=${pick(ids, i)}`,
        more,
      ),
    ])
  const unique = numbers.filter((i) => i % 4 !== 0)
  return [
    of('zones', () => `${v2}/zones`),
    of('zones, deep', (i) => `${v2}/zones?marker=${pick(zoneIds, i)}`),
    of('zones, name exact', (i) => `${v2}/zones?name=${rare(i)}`),
    of('zones, name begins (few)', (i) => `${v2}/zones?name=${label(i)}*`),
    of('zones, name begins (many)', () => `${v2}/zones?name=blue-*`),
    of('zones, name begins (many), by ttl', () => `${v2}/zones?name=blue-*&sort_key=ttl`),
    of('zones, name begins (many), deep', (i) => `${v2}/zones?name=b*&marker=${pick(zoneIds, i)}`),
    of('zones, status, by name', () => `${v2}/zones?status=ACTIVE&sort_key=name`),
    { ...of('zones, name has (one)', (i) => `${v2}/zones?name=*${label(i)!.slice(4)}.*`), grows: true },
    {
      ...of('zones, name has (one), by ttl', (i) => `${v2}/zones?name=*${label(i)!.slice(4)}.*&sort_key=ttl`),
      grows: true,
    },
    { ...of('zones, name has (some)', () => `${v2}/zones?name=*blue-har*`), grows: true },
    { ...of('zones, name has (many)', () => `${v2}/zones?name=*harbour*`), grows: true },
    { ...of('zones, counted, name has (one)', (i) => `${counted}/zones?name=*${label(i)!.slice(4)}.*`), grows: true },
    ...sorted('zones', zoneKeys, zoneIds),
    of('zones, counted', () => `${counted}/zones`),
    of('zones, counted, deep', (i) => `${counted}/zones?marker=${pick(zoneIds, i)}`),
    of('zones, counted, name exact', (i) => `${counted}/zones?name=${rare(i)}`),
    of('zones, counted, name begins (few)', (i) => `${counted}/zones?name=${label(i)}*`),
    { ...of('zones, counted, name begins (many)', () => `${counted}/zones?name=blue-*`), grows: true },

    of('recordsets of a zone', (i) => `${v2}/zones/${pick(zoneIds, i)}/recordsets`),
    of('recordsets of a zone, counted', (i) => `${counted}/zones/${pick(zoneIds, i)}/recordsets`),
    of('recordsets', () => `${v2}/recordsets`),
    of('recordsets, deep', (i) => `${v2}/recordsets?marker=${pick(setIds, i)}`),
    of('recordsets, name exact', (i) => `${v2}/recordsets?name=www.${rare(i)}`),
    of('recordsets, name begins (few)', (i) => `${v2}/recordsets?name=www.${label(i)}*`),
    of('recordsets, name begins (many)', () => `${v2}/recordsets?name=www.*`),
    of('recordsets, name begins (many), by type', () => `${v2}/recordsets?name=www.*&sort_key=type`),
    of('recordsets, type', () => `${v2}/recordsets?type=MX`),
    { ...of('recordsets, type, by name', () => `${v2}/recordsets?type=MX&sort_key=name`), grows: true },
    of('recordsets, data exact (few)', (i) => `${v2}/recordsets?data=${addressOf(pick(unique, i))}`),
    of('recordsets, data exact (many)', () => `${v2}/recordsets?data=${sharedAddress}`),
    {
      ...of('recordsets, data exact (many), by name', () => `${v2}/recordsets?data=${sharedAddress}&sort_key=name`),
      grows: true,
    },
    of('recordsets, data begins (few)', (i) => `${v2}/recordsets?data=10+mail.${label(i)}*`),
    of('recordsets, data begins (many)', () => `${v2}/recordsets?data=198.51.*`),
    { ...of('recordsets, data has (many)', () => `${v2}/recordsets?data=*backup*`), grows: true },
    ...sorted('recordsets', setKeys, setIds),
    of('recordsets, counted', () => `${counted}/recordsets`),
    of('recordsets, counted, name exact', (i) => `${counted}/recordsets?name=www.${rare(i)}`),
    of('recordsets, counted, data exact (few)', (i) => `${counted}/recordsets?data=${addressOf(pick(unique, i))}`),
    {
      ...of('recordsets, counted, data exact (many)', () => `${counted}/recordsets?data=${sharedAddress}`),
      grows: true,
    },

    ...sorted('zones', zoneKeys, zoneIds, everyone),
    ...sorted('recordsets', setKeys, setIds, everyone),

    { name: 'POST a zone', request: () => post('/v2/zones', { name: `${fresh()}.com.`, email: 'a@example.org' }) },
    {
      name: 'POST a zone below one',
      request: (i) => post('/v2/zones', { name: `${fresh()}.${rare(i)}`, email: 'a@example.org' }),
    },
    {
      name: 'POST a recordset',
      request: (i) => {
        const at = i % zoneIds.length
        const body = { name: `${fresh()}.${zoneName(numbers[at]!)}`, type: 'A', records: ['192.0.2.7'] }
        return post(`/v2/zones/${zoneIds[at]}/recordsets`, body)
      },
    },
  ]
}

const run = Date.now().toString(36)
let made = 0
const fresh = (): string => `${run}-${(made++).toString(36)}`
