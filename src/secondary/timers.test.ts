import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { parseMaster } from './master.ts'
import { expiry, nextRefresh, nextRetry } from './timers.ts'

const now = new Date('2026-01-01T00:00:00Z')
const seconds = (moment: Date) => (moment.getTime() - now.getTime()) / 1000
const timers = { refresh: 3600, retry: 600, expire: 86_400 }

test('[Y6] masters are asked again by the timers of the SOA, within bounds that no master can leave', () => {
  equal(seconds(nextRefresh(timers, now, 0)), 3600)
  equal(seconds(nextRefresh(timers, now, 1)), 3240)
  equal(seconds(nextRefresh({ ...timers, refresh: 0 }, now, 0)), 60)
  equal(seconds(nextRefresh({ ...timers, refresh: 0x7fffffff }, now, 0)), 2_419_200)
  equal(seconds(nextRetry(timers, now, 1, true)), 600)
  equal(seconds(nextRetry({ ...timers, retry: 0 }, now, 1, true)), 30)
  equal(seconds(expiry(timers, now)), 86_400)
  equal(seconds(expiry({ ...timers, expire: 0 }, now)), 4200)
})

test('[Y6] a zone without content tries soon, and then ever less often', () => {
  deepEqual(
    [1, 2, 3, 4, 8, 1000].map((failures) => seconds(nextRetry(timers, now, failures, false))),
    [5, 10, 20, 40, 600, 600],
  )
})

test('a master is an address with an optional port', () => {
  deepEqual(parseMaster('192.0.2.1'), { host: '192.0.2.1', port: 53 })
  deepEqual(parseMaster('192.0.2.1:5300'), { host: '192.0.2.1', port: 5300 })
  deepEqual(parseMaster('2001:db8::1'), { host: '2001:db8::1', port: 53 })
  deepEqual(parseMaster('[2001:db8::1]:5300'), { host: '2001:db8::1', port: 5300 })
})
