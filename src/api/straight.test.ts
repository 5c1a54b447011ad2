import { deepEqual, equal } from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { StraightGets } from './straight.ts'

const id = '019b76da-0000-7000-8000-000000000001'

function routed(request: { url: string; method?: string; headers?: Record<string, string> }) {
  const taken: unknown[] = []
  const straight = new StraightGets()
  for (const path of [
    '/v2/zones',
    '/v2/zones/{zone_id}',
    '/v2/zones/tasks/imports',
    '/v2/zones/{zone_id}/recordsets',
  ]) {
    straight.add(path, async ({ params }) => void taken.push(path, params))
  }
  const { url, method = 'GET', headers = { host: 'h' } } = request
  const isTaken = straight.take({ url, method, headers, socket: {} } as IncomingMessage, {} as ServerResponse)
  equal(isTaken, taken.length > 0)
  return taken
}

test('a plain GET finds its route, whatever it asks for', () => {
  deepEqual(routed({ url: '/v2/zones' }), ['/v2/zones', {}])
  deepEqual(routed({ url: '/v2/zones?name=a%20b&limit=/' }), ['/v2/zones', {}])
  deepEqual(routed({ url: `/v2/zones/${id}` }), ['/v2/zones/{zone_id}', { zone_id: id }])
  deepEqual(routed({ url: `/v2/zones/${id}/recordsets?` }), ['/v2/zones/{zone_id}/recordsets', { zone_id: id }])
  deepEqual(routed({ url: '/v2/zones/tasks/imports' }), ['/v2/zones/tasks/imports', {}])
})

test('what is not as plain is left to the framework', () => {
  for (const method of ['HEAD', 'POST', 'OPTIONS']) deepEqual(routed({ url: '/v2/zones', method }), [])
  for (const url of [
    '',
    '/',
    '*',
    '/v2',
    '/v2/zones/',
    '//v2/zones',
    '/v2/%7aones',
    '/v2/zones#a',
    '/v2/zones/tasks',
    '/v2/zones/recordsets',
    `/v2/zones/${id.toUpperCase()}`,
    `/v2/zones/${id}/`,
    `http://h/v2/zones`,
    '/constructor',
  ]) {
    deepEqual(routed({ url }), [], url)
  }
  const unusual: Record<string, string>[] = [
    {},
    { host: 'h', origin: 'http://a' },
    { host: 'h', 'content-length': '0' },
    { host: 'h', 'transfer-encoding': 'chunked' },
  ]
  for (const headers of unusual) deepEqual(routed({ url: '/v2/zones', headers }), [])
})
