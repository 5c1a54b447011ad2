import type { Server } from '../support/processes.ts'
import type { BenchRow } from '../support/report.ts'
import { alternate, type Effort, once } from '../support/rounds.ts'
import type { Canned } from '../support/serve-bytes.ts'
import type { Case } from './requests.ts'

/** Rows for one kind of request, beside a bare `node:http` server that sends the very bytes ours sent. */
export async function beside(
  bare: Server,
  ours: Server,
  { name, request }: Case,
  { clients, ...effort }: Effort & { readonly clients: number },
): Promise<BenchRow[]> {
  await bare.tell(await answerOf(ours.port, request(0)))
  const options = { clients, request }
  const figures = await alternate(
    {
      ours: (bounds) => once(ours, { ...options, ...bounds }),
      bare: (bounds) => once(bare, { ...options, ...bounds }),
    },
    effort,
  )
  const row = (what: string, unit: string, pick: 'perSecond' | 'p50' | 'p99' | 'cpu'): BenchRow => ({
    case: `${name}${what}`,
    unit,
    ours: figures.ours[pick],
    against: { name: 'bare node:http', value: figures.bare[pick] },
    better: pick === 'perSecond' ? 'more' : 'less',
  })
  return [
    row('', 'requests/s', 'perSecond'),
    row(': processor time', 'µs', 'cpu'),
    row(': p50', 'µs', 'p50'),
    row(': p99', 'µs', 'p99'),
  ]
}

/** Sends one request to learn the answer to be copied. */
async function answerOf(port: number, request: Buffer | string): Promise<Canned> {
  const [head, body] = request.toString().split('\r\n\r\n')
  const [line, ...headerLines] = head!.split('\r\n')
  const [method, path] = line!.split(' ')
  const headers = headerLines.map((text) => text.split(': ') as [string, string])
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: method!,
    headers: headers.filter(([name]) => name !== 'Host' && name !== 'Content-Length'),
    ...(body !== '' && { body: body! }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${line}: ${response.status} ${text}`)
  const kept = [...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))
  return { status: response.status, headers: Object.fromEntries(kept), body: text }
}
