/** One value of a metric, told apart from others by its labels. */
export type Sample = {
  readonly value: number
  readonly labels?: Readonly<Record<string, string | number>>
  /** What stands behind the metric's name: `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string
}

/** A metric and its values. */
export type Metric = {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** The content type of the text format. */
export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics in the text format that Prometheus reads; those without values are left out. */
export function prometheusText(metrics: readonly Metric[]): string {
  const lines: string[] = []
  for (const { name, type, help, samples } of metrics) {
    if (samples.length === 0) continue
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
    for (const { value, labels, suffix = '' } of samples) lines.push(`${name}${suffix}${labelText(labels)} ${value}`)
  }
  return `${lines.join('\n')}\n`
}

/** A metric of one value. */
export const single = (name: string, type: 'counter' | 'gauge', help: string, value: number): Metric => ({
  name,
  type,
  help,
  samples: [{ value }],
})

function labelText(labels: Sample['labels']): string {
  if (labels === undefined) return ''
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(',')}}`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
