import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'

/** One measurement, and what it is held against: a peer doing the same in the same run, or a limit. */
export type BenchRow = {
  readonly case: string
  readonly unit: string
  readonly ours: number
  readonly against?: { readonly name: string; readonly value: number }
  /** Whether more or less is better, which decides the way the ratio is taken: over 1 we are ahead. */
  readonly better: 'more' | 'less'
}

export type BenchOptions = {
  readonly quick: boolean
  /** The options of its own that a benchmark was given. */
  readonly given: Readonly<Record<string, string | undefined>>
}

/** Runs a benchmark, prints its table, and with `--json FILE` writes it too; `--quick` is for a first look. */
export async function report(
  name: string,
  measure: (options: BenchOptions) => Promise<readonly BenchRow[]>,
  own: Readonly<Record<string, { readonly type: 'string' }>> = {},
): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, json: { type: 'string' }, ...own },
  })
  const rows = await measure({ quick: values.quick, given: values as object as Record<string, string | undefined> })
  console.log(table(rows))
  if (values.json === undefined) return
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: availableParallelism() }
  const measured = rows.map((row) => ({ ...row, ratio: ratio(row) }))
  writeFileSync(
    values.json,
    `${JSON.stringify({ bench: name, quick: values.quick, at: new Date(), machine, rows: measured }, undefined, 2)}\n`,
  )
}

/** Rows as a table for a person. */
export function table(rows: readonly BenchRow[]): string {
  const cells = rows.map((row) => [
    row.case,
    `${figure(row.ours)} ${row.unit}`,
    row.against === undefined ? '' : `${row.against.name} ${figure(row.against.value)}`,
    row.against === undefined ? '' : `${ratio(row)!.toFixed(2)} ×`,
  ])
  const all = [['case', 'ours', 'peer or limit', 'ratio'], ...cells]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((line) => line[column]!.length)))
  const lines = all.map((line) =>
    line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
  )
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n')
}

function ratio({ ours, against, better }: BenchRow): number | undefined {
  if (against === undefined) return undefined
  return better === 'more' ? ours / against.value : against.value / ours
}

function figure(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}
