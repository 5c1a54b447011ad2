import { nameKey } from '../../dns/name.ts'
import type { HostPort, TargetZone } from '../kind.ts'
import { plainName } from '../plain-name.ts'
import { parseStatements, type Statement, wordsOf } from './statements.ts'

/** A zone as named has it: of what type, from which primaries (as they are written), in which file. */
export type HeldZone = {
  readonly type: string
  readonly primaries: readonly string[]
  readonly file: string | undefined
}

const PREFIX = 'secondary.'
const READABLE = 80

/** The primaries of a zone, each as named shows it. */
export function primariesText(masters: readonly HostPort[], keyName: string | undefined): string[] {
  const key = keyName === undefined ? '' : ` key "${plainName(keyName)}"`
  return masters.map(({ host, port }) => `${host} port ${port}${key}`)
}

/** What stands in the braces of a zone that is taken from these primaries. */
export function zoneBlock(primaries: readonly string[], file: string): string {
  return `{ type secondary; primaries { ${primaries.join('; ')}; }; file "${file}"; };`
}

/** A file that no other zone has, by the zone's id; the name stands in it for people, as far as it is safe. */
export function zoneFile({ id, name }: TargetZone, view: string | undefined): string {
  const readable = nameKey(name)
    .replace(/\.$/, '')
    .replace(/[^a-z0-9._-]/g, '_')
    .slice(0, READABLE)
  const place = view === undefined ? '' : `${view.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, READABLE)}.`
  return `${PREFIX}${place}${readable}.${idText(id)}`
}

/** Whether a file is one that we give, for another zone than this. */
export function isFileOfOther(file: string | undefined, { id }: TargetZone): boolean {
  return file?.startsWith(PREFIX) === true && !file.endsWith(`.${idText(id)}`)
}

const idText = (id: string): string => id.replace(/[^A-Za-z0-9-]/g, '_')

/** What `showzone` told. */
export function readZone(text: string): HeldZone {
  const block = parseStatements(text)[0]?.block ?? []
  const primaries = block.find(({ words }) => words[0] === 'primaries' || words[0] === 'masters')
  const type = wordsOf(block, 'type')?.[0] ?? ''
  return {
    type: type === 'slave' ? 'secondary' : type === 'master' ? 'primary' : type,
    primaries: primaries?.block.map(primaryText) ?? [],
    file: wordsOf(block, 'file')?.[0],
  }
}

function primaryText({ words }: Statement): string {
  const [host, ...rest] = words
  const said = (name: string) => rest[rest.indexOf(name) + 1]
  const port = rest.includes('port') ? said('port') : '53'
  const key = rest.includes('key') ? ` key "${said('key')}"` : ''
  return `${host} port ${port}${key}`
}
