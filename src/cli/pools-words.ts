import type { HostPort } from './pools-read.ts'

/** Text from a file or a server as a terminal may show it. */
export const shown = (value: unknown): string =>
  typeof value === 'string' && !/^[\p{L}\p{N}\p{P}\p{S}]+( [\p{L}\p{N}\p{P}\p{S}]+)*$/u.test(value)
    ? JSON.stringify(value).replaceAll(/[^\P{C}]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : String(value ?? '(none)')

/** `192.0.2.1:53`, `[2001:db8::1]:53` */
export const addressText = ({ host, port }: HostPort): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

/** `1 server`, `2 servers` */
export const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

/** Columns under their titles, two spaces apart; the last is as long as it likes. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[], indent = ''): string {
  const widths = titles.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)))
  return [titles, ...rows]
    .map((row) => `${indent}${row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}
