import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Trouble } from '../trouble.ts'
import { namedZones } from './named-conf.ts'

/** A file to import: `origin` is the zone's name where the file need not say it, `zone` the name as far as it can be told. */
export type Planned = {
  readonly file: string
  readonly origin: string | undefined
  readonly zone: string | undefined
  readonly bytes: number
}

/** What is to be imported, and what was found that is not, each with the reason. */
export type Plan = {
  readonly zones: readonly Planned[]
  readonly skipped: readonly string[]
  /** Whether it was asked for file by file, so that there is nothing to agree to. */
  readonly isNamed: boolean
}

const mostLooked = 65_536

/** Finds the zone files that paths stand for: files themselves, folders of them, and the zones of a named.conf. */
export function planImport(paths: readonly string[]): Plan {
  const zones: Planned[] = []
  const skipped: string[] = []
  let isNamed = true
  for (const path of paths) {
    if (sizeOf(path) === undefined) {
      isNamed = false
      fromFolder(path, zones, skipped)
    } else if (/\.conf$/.test(path)) {
      isNamed = false
      fromNamedConf(path, zones, skipped)
    } else zones.push(plannedFile(path))
  }
  return { zones, skipped, isNamed }
}

function fromFolder(folder: string, zones: Planned[], skipped: string[]): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue
    const file = join(entry.parentPath, entry.name)
    if (/\sSOA\s/i.test(beginning(file))) zones.push(plannedFile(file))
    else skipped.push(`${file}: no SOA near its beginning, so it is no zone file`)
  }
}

function fromNamedConf(path: string, zones: Planned[], skipped: string[]): void {
  for (const { name, type, file } of namedZones(path)) {
    if (type !== 'master' && type !== 'primary') skipped.push(`${name}: its type is ${type}`)
    else if (file === undefined) skipped.push(`${name}: it has no file`)
    else if (/^(localhost|0\.in-addr\.arpa|127\.in-addr\.arpa|255\.in-addr\.arpa)\.$/.test(name)) {
      skipped.push(`${name}: every server has it of its own`)
    } else zones.push({ file, origin: name, zone: name, bytes: sizeOf(file) ?? 0 })
  }
}

function plannedFile(file: string): Planned {
  const origin = guessedOrigin(file)
  return { file, origin, zone: origin ?? nameIn(beginning(file)), bytes: sizeOf(file) ?? 0 }
}

/** The name that a zone file says its zone has: where its SOA stands. */
export function nameIn(text: string): string | undefined {
  let origin: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const [, given] = /^\$ORIGIN\s+([^\s;]+)/i.exec(line) ?? []
    if (given !== undefined) origin = fullName(given, origin)
    const [, owner] = /^([^\s;]*)\s[^;"]*?\bSOA\s/i.exec(line) ?? []
    if (owner !== undefined) return owner === '' || owner === '@' ? origin : fullName(owner, origin)
  }
  return undefined
}

function fullName(name: string, origin: string | undefined): string | undefined {
  if (name.endsWith('.')) return name
  return origin === undefined ? undefined : `${name}.${origin === '.' ? '' : origin}`
}

/** The zone's name from that of the file, such as db.example.org or example.org.zone, if the file itself does not say. */
function guessedOrigin(file: string): string | undefined {
  const first = beginning(file)
    .split('\n')
    .find((line) => /^[^;\s]/.test(line) && !/^\$TTL\b/i.test(line))
  if (first === undefined || /^\$ORIGIN\b/i.test(first) || /^\S+\.\s/.test(first)) return undefined
  const name = basename(file)
    .replace(/^db\./, '')
    .replace(/\.(zone|db|txt|hosts)$/, '')
  return name.includes('.') ? `${name}.` : undefined
}

/** How large a file is; undefined for a folder. */
function sizeOf(path: string): number | undefined {
  try {
    const found = statSync(path)
    return found.isDirectory() ? undefined : found.size
  } catch (error) {
    throw new Trouble(`cannot read ${path}: ${(error as Error).message}`)
  }
}

function beginning(file: string): string {
  const bytes = Buffer.alloc(mostLooked)
  const open = openSync(file, 'r')
  try {
    return bytes.toString('latin1', 0, readSync(open, bytes))
  } finally {
    closeSync(open)
  }
}
