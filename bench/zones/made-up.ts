import { newId } from '../../src/ids.ts'
import type { Findable, RecordsetRow } from '../../src/resources/zones/recordset-rows.ts'

/** The project that asks: nine of ten zones are its own. */
export const askingProject = 'bench'

const firstDay = Date.UTC(2025, 0, 1)
const colours = 'amber azure beige black blue bronze coral cyan ebony gold green grey indigo ivory jade lilac'.split(
  ' ',
)
const things =
  'anchor bakery bridge castle cellar dairy engine forest garden harbour island jungle kitchen lantern market meadow mirror needle orchard palace pepper quarry rocket saddle school shop signal temple timber valley velvet window winter'.split(
    ' ',
  )
const ends = ['com', 'org', 'net', 'de', 'io', 'co.uk', 'info']
/** Every so many zones, one lies below the one before it. */
const family = 20

/** The name of the zone of a number: a third of a million reads like `blue-harbour-75x.org.`, one in twenty like `dev.…`. */
export function zoneName(i: number): string {
  if (i % family === family - 1) return `dev.${zoneName(i - 1)}`
  const mixed = Math.imul(i, 0x9e3779b1) >>> 0
  const colour = colours[mixed % colours.length]
  const thing = things[(mixed >>> 8) % things.length]
  return `${colour}-${thing}-${i.toString(36)}.${ends[(mixed >>> 20) % ends.length]}.`
}

export const isChild = (i: number): boolean => i % family === family - 1

export const projectOf = (i: number): string => {
  const group = Math.floor(i / family)
  return group % 10 === 9 ? `tenant-${group % 997}` : askingProject
}

export const momentOf = (i: number): Date => new Date(firstDay + i)
export const serialOf = (i: number): number => Math.floor(firstDay / 1000) + (i % 10_000_000)

/** An address that one zone in four shares with many others, and the rest have for themselves. */
export const addressOf = (i: number): string =>
  i % 4 === 0 ? sharedAddress : `10.${(i >>> 16) & 255}.${(i >>> 8) & 255}.${i & 255}`

export const sharedAddress = '192.0.2.80'

export type MadeSet = Pick<RecordsetRow, 'id' | 'name' | 'type' | 'ttl' | 'records' | 'managed'> & {
  readonly findable: readonly Findable[]
}

export const servers = ['ns1.example.org.', 'ns2.example.org.']

/** The sets of a zone: ten, with eleven records to find them by. */
export function setsOf(i: number, soa: string): MadeSet[] {
  const name = zoneName(i)
  const now = momentOf(i)
  const set = (owner: string, type: string, records: string[], ttl: number | null = null): MadeSet => ({
    id: newId(now),
    name: owner,
    type,
    ttl,
    records,
    managed: 0,
    findable: records.map((data) => ({ data, canonical: null })),
  })
  const hex = i.toString(16).padStart(8, '0')
  const short = `2001:db8:${plain(hex.slice(0, 4))}:${plain(hex.slice(4))}::1`
  const long = `2001:0db8:${hex.slice(0, 4)}:${hex.slice(4)}:0000:0000:0000:0001`
  const aaaa = set(`www.${name}`, 'AAAA', [i % 3 === 0 ? long : short])
  return [
    { ...set(name, 'SOA', [soa]), managed: 1, findable: [] },
    { ...set(name, 'NS', servers), managed: 1 },
    set(name, 'A', [addressOf(i)]),
    set(name, 'MX', [`10 mail.${name}`, '20 backup.example.net.']),
    set(name, 'TXT', ['"v=spf1 mx -all"']),
    set(`www.${name}`, 'A', [addressOf(i)], 300),
    i % 3 === 0 ? { ...aaaa, findable: [{ data: long, canonical: canonical(short, hex) }] } : aaaa,
    set(`mail.${name}`, 'A', [`198.51.100.${i & 255}`]),
    set(`api.${name}`, 'CNAME', [`www.${name}`], 60),
    set(`_dmarc.${name}`, 'TXT', [`"v=DMARC1; p=reject; rua=mailto:dmarc@${name.slice(0, -1)}"`]),
  ]
}

const plain = (group: string): string => Number.parseInt(group, 16).toString(16)

/** RFC 5952 4.2.3: of several runs of zeros the longest is shortened, which may begin before the last four groups. */
const canonical = (short: string, hex: string): string =>
  hex.endsWith('0000') ? short.replace(/(?::0)+::1$/, '::1') : short
