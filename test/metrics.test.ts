import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { dig, until } from './support/served.ts'
import { type Service, startService } from './support/service.ts'

let service: Service
let dnsPort: number
before(async () => {
  service = await startService({ args: ['--dns-rate-limit', '0'] })
  dnsPort = Number(/DNS\s+127\.0\.0\.1:(\d+)/.exec(service.stdout())?.[1])
})
after(() => service.stop())

const post = async (path: string, body: object) => {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as { id: string }
}
const read = async (path: string) => (await fetch(service.url + path)).text()
const metric = async (line: string) => {
  const text = await read('/metrics')
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}

test('[S100] /metrics tells requests by method, route and status, and how long they took', async () => {
  for (let i = 0; i < 3; i++) await post('/v2/zones', { name: `m${i}.example.`, email: 'a@example.org' })
  await post('/v2/zones', { name: 'not a name' })
  await read('/v2/nowhere')
  equal(await metric('nameplane_http_requests_total{method="POST",route="/v2/zones",status="202"}'), 3)
  equal(await metric('nameplane_http_requests_total{method="POST",route="/v2/zones",status="400"}'), 1)
  equal(await metric('nameplane_http_requests_total{method="",route="unmatched",status="404"}'), 1)
  const took = 'nameplane_http_request_duration_seconds'
  equal(await metric(`${took}_count{method="POST",route="/v2/zones"}`), 4)
  equal(await metric(`${took}_bucket{method="POST",route="/v2/zones",le="+Inf"}`), 4)
  const seconds = (await metric(`${took}_sum{method="POST",route="/v2/zones"}`))!
  ok(seconds > 0 && seconds < 60, `${seconds} s`)
})

test('[S100] /metrics tells what was asked and answered over DNS, and what is held', async () => {
  ok(await until(async () => (await dig(dnsPort, 'm0.example.', 'SOA')).rcode === 0))
  const before = (await metric('nameplane_dns_queries_total{transport="udp",type="MX"}')) ?? 0
  for (let i = 0; i < 5; i++) await dig(dnsPort, 'nope.m0.example.', 'MX')
  equal(await metric('nameplane_dns_queries_total{transport="udp",type="MX"}'), before + 5)
  equal(await metric('nameplane_dns_replies_total{transport="udp",rcode="NXDOMAIN"}'), 5)
  ok(await until(async () => (await metric('nameplane_dns_zones')) === 3))
  ok(await until(async () => (await metric('nameplane_dns_records')) === 6))
  ok((await metric('nameplane_dns_memory_bytes'))! > 100)
  ok((await metric('nameplane_journal_lag_seconds'))! < 10)
  ok((await metric('nameplane_feed_lag_seconds'))! < 10)
  equal(await metric('nameplane_dns_zones_failed'), 0)
})

test('[S100] every line of /metrics is a comment or a value, and every value has its type told', async () => {
  const response = await fetch(`${service.url}/metrics`)
  match(response.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
  const told = new Set<string>()
  for (const line of (await response.text()).trimEnd().split('\n')) {
    const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line)
    if (type) told.add(type[1]!)
    if (line.startsWith('#')) continue
    const [, name] = /^(\w+)(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)+\})? -?[\d.e+-]+$/.exec(line) ?? []
    ok(name !== undefined && told.has(name.replace(/_(bucket|sum|count)$/, '')), line)
  }
})

test('[S101] /readyz tells zones that cannot be served, with the reason', async () => {
  type Ready = { status: string; nameserver: { loading: boolean; failed_zones: number; failed: object[] } }
  const ready = async () => JSON.parse(await read('/readyz')) as Ready
  ok(await until(async () => !(await ready()).nameserver.loading))
  equal((await ready()).nameserver.failed_zones, 0)
  const zone = await post('/v2/zones', { name: 'spoilt.example.', email: 'a@example.org' })
  ok(await until(async () => (await dig(dnsPort, 'spoilt.example.', 'SOA')).rcode === 0))
  const file = new DatabaseSync(join(service.dataDir, 'nameplane.db'), { timeout: 5000 })
  file.exec(`update recordsets set records = '["?"]' where zone_id = '${zone.id}' and type = 'NS';
    update zones set serial = serial + 1, changed_at = '2100-01-01T00:00:00.000000' where id = '${zone.id}'`)
  file.close()
  ok(await until(async () => (await ready()).nameserver.failed_zones === 1), 'polling finds it')
  const { status, nameserver } = await ready()
  equal(status, 'ready')
  deepEqual(nameserver.failed, [
    { name: 'spoilt.example.', reason: (nameserver.failed[0] as { reason: string }).reason },
  ])
  match((nameserver.failed[0] as { reason: string }).reason, /^spoilt\.example\. NS cannot be served: /)
  equal(await metric('nameplane_dns_zones_failed'), 1)
  match(service.log(), /a zone cannot be served; it answers SERVFAIL/)
  equal(/"level":/.test(service.stdout()), false, 'the log goes to standard error alone')
})

test('[S100] metrics can be turned off', async () => {
  const silent = await startService({ env: { NAMEPLANE_METRICS: 'false' } })
  try {
    equal((await fetch(`${silent.url}/metrics`)).status, 404)
  } finally {
    await silent.stop()
  }
})
