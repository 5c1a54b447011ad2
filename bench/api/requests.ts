import { nameOf, type Store } from '../support/seed.ts'

const common = 'Host: 127.0.0.1:9001\r\nAccept: application/json\r\nX-Auth-Project-ID: bench\r\n'

export type Case = {
  readonly name: string
  /** Makes the whole HTTP request number i. */
  readonly request: (i: number) => Buffer | string
}

export type Cases = Record<'one' | 'list' | 'deep' | 'filtered' | 'post', Case>

/** The requests that are measured on a store. */
export function cases({ ids, rows }: Store): Cases {
  const far = ids.slice(ids.length * 0.5, ids.length * 0.95)
  return {
    one: { name: 'GET one pool', request: rotate(ids.map((id) => get(`/v2/pools/${id}`))) },
    list: { name: 'list of 20 pools', request: rotate([get('/v2/pools')]) },
    deep: { name: 'list of 20 from deep inside', request: rotate(far.map((id) => get(`/v2/pools?marker=${id}`))) },
    filtered: { name: 'list of 20 whose names start alike', request: rotate([get(`/v2/pools?name=${prefix(rows)}*`)]) },
    post: { name: 'POST a pool', request: post },
  }
}

/** What some 100 names near the middle start with. */
const prefix = (rows: number): string => nameOf(Math.floor(rows / 2)).slice(0, -2)

export const get = (path: string): Buffer => Buffer.from(`GET ${path} HTTP/1.1\r\n${common}\r\n`)

const rotate =
  (requests: readonly Buffer[]) =>
  (i: number): Buffer =>
    requests[i % requests.length]!

const run = Date.now().toString(36)
let posted = 0

function post(): string {
  posted += 1
  const name = `${run}-${String(posted).padStart(9, '0')}`
  const body = `{"name":"${name}","ns_records":[{"hostname":"ns1.example.org.","priority":1}]}`
  return `POST /v2/pools HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
