import type { BenchRow } from '../support/report.ts'
import type { Burst, Timed } from './ours.ts'

type Times = { readonly ours: readonly Timed[]; readonly limit: readonly number[]; readonly cpu: number }

/** All that was measured with one server; times are in milliseconds, processor time in microseconds. */
export type Seen = {
  readonly title: string
  readonly change: Times
  readonly zone: Times
  readonly burst: { readonly ours: Burst; readonly limit: number | undefined }
}

type Counts = { readonly changes: number; readonly zones: number; readonly burst: number }

export const median = (values: readonly number[]): number => quantile(values, 0.5)
const p99 = (values: readonly number[]): number => quantile(values, 0.99)

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

// Designate 15.0.2 with BIND 9.18, measured on such a machine on another day and not in this run.
const designate = {
  change: { served: 143, active: 5240 },
  zone: { served: 53, active: 5080 },
  burst: { thousand: 180_000 },
}

/** The tables of docs/benchmarks.md. */
export function markdown(all: readonly Seen[], { changes, zones, burst }: Counts): string {
  const one = (what: string, times: (seen: Seen) => Times, quoted: { served: number; active: number }) =>
    tableOf(
      [what, 'served, median', 'p99', 'limit, median', 'p99', 'ratio', 'ACTIVE, median', 'p99', 'processor time'],
      [
        ...all.map((seen) => {
          const { ours, limit, cpu } = times(seen)
          const [served, active] = [ours.map((timed) => timed.served), ours.map((timed) => timed.active)]
          const least =
            limit.length === 0
              ? ['', '', '']
              : [ms(median(limit)), ms(p99(limit)), ratio(median(limit), median(served))]
          return [
            seen.title,
            ms(median(served)),
            ms(p99(served)),
            ...least,
            ms(median(active)),
            ms(p99(active)),
            ms(cpu / 1000),
          ]
        }),
        ['Designate with BIND (quoted)', ms(quoted.served), '', '', '', '', ms(quoted.active), '', ''],
      ],
    )
  const many = tableOf(
    [
      `${number(burst)} zones, 8 clients`,
      'all answered',
      'all served',
      'limit',
      'ratio',
      'all ACTIVE',
      'processor time a zone',
    ],
    [
      ...all.map(({ title, burst: { ours, limit } }) => [
        title,
        ms(ours.posted),
        ms(ours.served),
        ...(limit === undefined ? ['', ''] : [ms(limit), ratio(limit, ours.served)]),
        ms(ours.active),
        ms(ours.cpu / 1000),
      ]),
      ...(burst === 1000
        ? [['Designate with BIND (quoted)', '175 s', '', '', '', ms(designate.burst.thousand), '']]
        : []),
    ],
  )
  return [
    one(`a record made or changed (${number(changes)})`, ({ change }) => change, designate.change),
    one(`a zone made (${number(zones)})`, ({ zone }) => zone, designate.zone),
    many,
  ].join('\n\n')
}

/** The same as rows of a report. */
export function seenRows(all: readonly Seen[], { burst }: Counts): BenchRow[] {
  const row = (name: string, ours: number, limit?: number, unit = 'ms'): BenchRow => ({
    case: name,
    unit,
    ours,
    ...(limit === undefined ? {} : { against: { name: 'the server itself', value: limit } }),
    better: 'less',
  })
  const one = (name: string, { ours, limit, cpu }: Times): BenchRow[] => {
    const [served, active] = [ours.map((timed) => timed.served), ours.map((timed) => timed.active)]
    const least = (pick: typeof median) => (limit.length === 0 ? undefined : pick(limit))
    return [
      row(`${name} served: median`, median(served), least(median)),
      row(`${name} served: p99`, p99(served), least(p99)),
      row(`${name} ACTIVE: median`, median(active)),
      row(`${name} ACTIVE: p99`, p99(active)),
      row(`${name}: processor time`, cpu / 1000),
    ]
  }
  return all.flatMap(({ title, change, zone, burst: { ours, limit } }) => [
    ...one(`${title}: change`, change),
    ...one(`${title}: zone`, zone),
    row(`${title}: ${number(burst)} zones all answered`, ours.posted),
    row(`${title}: ${number(burst)} zones all served`, ours.served, limit),
    row(`${title}: ${number(burst)} zones all ACTIVE`, ours.active),
    row(`${title}: ${number(burst)} zones, processor time of each`, ours.cpu / 1000),
  ])
}

function tableOf(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...lines.map(line)].join('\n')
}

const number = (value: number): string => value.toLocaleString('en')
const ratio = (limit: number, ours: number): string => (limit / ours).toFixed(2)

/** Milliseconds for a person, in seconds where there are many. */
function ms(value: number): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(value >= 100_000 ? 0 : 1)} s`
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`
  return `${value.toFixed(value >= 100 ? 0 : 1)} ms`
}
