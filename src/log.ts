import { stderr } from 'node:process'
import { isatty } from 'node:tty'
import pino, { type DestinationStream, type Level, type Logger } from 'pino'

export type LogFormat = 'auto' | 'json' | 'pretty'

// Other threads have a stderr of their own, which knows neither its number nor whether a terminal is behind it.
const STDERR = 2

/** Opens the log on standard error: JSON lines for programs, readable lines for a person at a terminal. */
export function openLog(options: { readonly level: Level | 'silent'; readonly format: LogFormat }): Logger {
  const pretty = options.format === 'pretty' || (options.format === 'auto' && isatty(STDERR))
  return pino({ level: options.level, base: null }, pretty ? { write: writePretty } : jsonLines())
}

function jsonLines(): DestinationStream {
  const destination = pino.destination({ fd: STDERR, sync: true })
  // Whoever read the log may be gone; that is no reason for the service to go too.
  destination.on('error', () => {})
  return destination
}

const colours: Readonly<Record<number, number>> = { 10: 90, 20: 90, 30: 32, 40: 33, 50: 31, 60: 35 }

function writePretty(line: string): void {
  stderr.write(`${readable(line, isatty(STDERR))}\n`)
}

/** One JSON log line as a person reads it: time, level, message, the rest as key=value, an error's stack below. */
export function readable(line: string, colour: boolean): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as LogLine
  const name = pino.levels.labels[level] ?? String(level)
  const label = colour ? `\x1b[${colours[level] ?? 0}m${name.padEnd(5)}\x1b[0m` : name.padEnd(5)
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${fieldText(value)}`)
  const trace = err === undefined ? '' : `\n${err.stack ?? err.message ?? JSON.stringify(err)}`
  return `${clockTime(time)} ${label} ${msg ?? ''}${fields.join('')}${trace}`
}

type LogLine = {
  readonly time: number
  readonly level: number
  readonly msg?: string
  readonly err?: { readonly stack?: string; readonly message?: string }
}

const clockTime = (time: number): string => new Date(time).toTimeString().slice(0, 8)

const fieldText = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
