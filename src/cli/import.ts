import { setTimeout as sleep } from 'node:timers/promises'
import type { ImportFault, Progress, ZoneImport } from '../resources/imports/fields.ts'
import { Trouble } from '../trouble.ts'
import { isAgreed, mustHavePerson } from './ask.ts'
import { type Client, openClient, Refusal } from './client.ts'
import type { Command } from './command.ts'
import { type Plan, type Planned, planImport } from './import-plan.ts'
import { readWords } from './words.ts'

type Shown = Omit<ZoneImport, 'dry_run'> & { readonly links: { readonly faults?: string } }

const mostFaults = 20
const numbers = new Intl.NumberFormat('en')
const count = (n: number, what: string) => `${numbers.format(n)} ${what}${n === 1 ? '' : 's'}`

/** `nameplane import` */
export const importZones: Command = {
  summary: 'Import zone files, folders of them, or the zones of a named.conf.',
  usage: 'nameplane import [--mode create|replace|merge] [--dry-run] [--origin NAME] [--yes] [--url URL] PATH…',
  help: `A PATH is a zone file, a folder of zone files, or a named.conf (a name that ends in .conf). Of a folder or a
named.conf the plan is shown first, and done after you say yes.

--mode      create (the default) makes zones; replace makes the content of a zone that of its file; merge adds to it.
--dry-run   Tell what would change and what is wrong, and change nothing.
--origin    The zone's name, where a file does not say it.
--yes       Do what the plan says without asking.
--url       The service; else NAMEPLANE_URL, else http://127.0.0.1:9001. NAMEPLANE_TOKEN and NAMEPLANE_PROJECT say who asks.

Ends with 0 when all was imported, 1 when something was not, 2 when nobody was there to say yes.`,
  async run(args) {
    const { words, flags, switches } = readWords(args, ['mode', 'origin', 'url'], ['dry-run', 'yes'])
    if (words.length === 0)
      throw new Trouble('import needs a file, a folder or a named.conf; see nameplane help import', 2)
    const client = openClient(flags.url, process.env)
    const plan = planImport(words)
    if (plan.zones.length === 0) throw new Trouble(['no zone files were found', ...plan.skipped].join('\n'))
    const query = new URLSearchParams()
    if (flags.mode !== undefined) query.set('mode', flags.mode)
    if (switches.has('dry-run')) query.set('dry_run', 'true')
    if (!plan.isNamed) {
      process.stdout.write(planText(plan, flags.mode ?? 'create', flags.origin))
      if (!switches.has('yes') && !switches.has('dry-run')) {
        mustHavePerson()
        if (!(await isAgreed('Do it?', process.stdin, process.stdout))) {
          process.stdout.write('Nothing was changed.\n')
          return 1
        }
      }
    }
    return importAll(
      client,
      plan.zones.map((one) => ({ ...one, origin: flags.origin ?? one.origin })),
      query,
    )
  },
}

function planText({ zones, skipped }: Plan, mode: string, origin: string | undefined): string {
  const lines = zones.map(
    ({ file, zone, bytes }) => `  ${mode}  ${origin ?? zone ?? '(name in the file)'}  ${file}  ${count(bytes, 'byte')}`,
  )
  const left = skipped.map((reason) => `  leave out  ${reason}`)
  return `${count(zones.length, 'zone file')} to import:\n${[...lines, ...left].join('\n')}\n`
}

async function importAll(client: Client, zones: readonly Planned[], query: URLSearchParams): Promise<number> {
  let [done, failed, warnings] = [0, 0, 0]
  for (const planned of zones) {
    try {
      const ended = await importOne(client, planned, query)
      if (ended.status === 'COMPLETE') done++
      else failed++
      warnings += ended.faults.filter(({ severity }) => severity === 'warning').length
      report(planned.file, ended)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      failed++
      process.stdout.write(`${planned.file}: not imported: ${error.message}\n`)
    }
  }
  if (zones.length > 1 || failed > 0) {
    process.stdout.write(
      `${count(done, 'zone')} done, ${numbers.format(failed)} failed, ${count(warnings, 'warning')}.\n`,
    )
  }
  return failed === 0 ? 0 : 1
}

async function importOne(client: Client, { file, origin }: Planned, given: URLSearchParams): Promise<Shown> {
  const query = new URLSearchParams(given)
  if (origin !== undefined) query.set('origin', origin)
  const bar = new ProgressBar(file)
  try {
    let shown = await client.upload<Shown>(`/v2/zones/tasks/imports?${query}`, file)
    for (let pause = 20; shown.status === 'PENDING'; pause = Math.min(pause * 2, 500)) {
      await sleep(pause)
      shown = await client.json<Shown>('GET', `/v2/zones/tasks/imports/${shown.id}`)
      bar.show(shown.progress)
    }
    return shown
  } finally {
    bar.end()
  }
}

function report(file: string, { status, message, faults, fault_count, difference, progress, links }: Shown): void {
  const lines = [
    `${file}: ${status === 'COMPLETE' ? '' : 'not imported: '}${inShort(message, faults)} (${count(progress.records_read, 'record')} read)`,
  ]
  for (const fault of faults.slice(0, mostFaults)) lines.push(faultLine(file, fault))
  if (fault_count > mostFaults)
    lines.push(`  and ${numbers.format(fault_count - mostFaults)} more, all of them from ${links.faults} on`)
  if (difference !== null) {
    const { recordsets_created: created, recordsets_updated: updated, recordsets_deleted: deleted } = difference
    lines.push(
      `  record sets: ${numbers.format(created)} created, ${numbers.format(updated)} updated, ${numbers.format(deleted)} deleted`,
    )
    for (const { action, name, type, removed, added } of difference.recordsets) {
      lines.push(
        `  ${action} ${name} ${type}`,
        ...removed.map((text) => `    - ${text}`),
        ...added.map((text) => `    + ${text}`),
      )
    }
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** The message without the fault that has a line of its own below it, and with what can be done. */
function inShort(message: string | null, faults: readonly ImportFault[]): string {
  if (message === 'Duplicate zone.')
    return `${message} Use --mode replace or --mode merge to change the one that is there.`
  const malformed = 'Malformed zonefile.'
  const isShown = faults.slice(0, mostFaults).some(({ severity }) => severity === 'error')
  return message?.startsWith(malformed) && isShown ? malformed : String(message)
}

/** As compilers write it, so that editors find the place. */
const faultLine = (file: string, { line, column, severity, message }: ImportFault): string =>
  `${[file, line, column].filter((part) => part !== null).join(':')}: ${severity}: ${message}`

const width = 30

/** Shows on a terminal how far a file is; says nothing elsewhere. */
class ProgressBar {
  readonly #label: string
  readonly #isShown = process.stderr.isTTY === true

  constructor(label: string) {
    this.#label = label
  }

  show({ bytes_read, bytes_total, records_read }: Progress): void {
    if (!this.#isShown) return
    const part = bytes_total === 0 ? 1 : bytes_read / bytes_total
    const filled = Math.round(part * width)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`
    process.stderr.write(`\r\x1b[K${this.#label} ${bar} ${Math.floor(part * 100)} % ${count(records_read, 'record')}`)
  }

  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K')
  }
}
