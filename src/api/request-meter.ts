import type { Metric, Sample } from '../prometheus.ts'

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const

/** What is counted of the requests to one route. */
export class RouteMeter {
  readonly method: string
  readonly route: string
  readonly statuses = new Map<number, number>()
  /** Requests by the first bound that their time is within; the last are beyond all. */
  readonly buckets = new Float64Array(bounds.length + 1)
  seconds = 0

  constructor(method: string, route: string) {
    this.method = method
    this.route = route
  }

  add(status: number, milliseconds: number): void {
    const seconds = milliseconds / 1000
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    this.seconds += seconds
    let at = 0
    while (at < bounds.length && seconds > bounds[at]!) at++
    this.buckets[at]!++
  }
}

/** Counts requests and the time they took by route. */
export class RequestMeter {
  readonly #routes: RouteMeter[] = []
  /** For requests to what is no route. */
  readonly unmatched = this.of('', 'unmatched')

  of(method: string, route: string): RouteMeter {
    const meter = new RouteMeter(method, route)
    this.#routes.push(meter)
    return meter
  }

  metrics(): readonly Metric[] {
    const seen = this.#routes.filter(({ statuses }) => statuses.size > 0)
    return [
      {
        name: 'nameplane_http_requests_total',
        type: 'counter',
        help: 'Requests to the API, by method, route and status.',
        samples: seen.flatMap(({ method, route, statuses }) =>
          [...statuses].map(([status, value]) => ({ labels: { method, route, status }, value })),
        ),
      },
      {
        name: 'nameplane_http_request_duration_seconds',
        type: 'histogram',
        help: 'From the head of a request to its answer.',
        samples: seen.flatMap(histogram),
      },
    ]
  }
}

function histogram({ method, route, buckets, seconds }: RouteMeter): Sample[] {
  const labels = { method, route }
  let count = 0
  const cumulative = [...buckets].map((value, i) => {
    count += value
    return { suffix: '_bucket', labels: { ...labels, le: bounds[i] ?? '+Inf' }, value: count }
  })
  return [...cumulative, { suffix: '_sum', labels, value: seconds }, { suffix: '_count', labels, value: count }]
}
