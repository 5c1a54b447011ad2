import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { linesOfSets, zoneFrom } from '../../test/support/zones.ts'
import { rcodeName } from '../dns/codes.ts'
import { typeCode } from '../dns/types/index.ts'
import { answer } from './answer.ts'
import type { Zone } from './zone.ts'

// The zone of RFC 4592 2.2.1.
const zone = zoneFrom(
  'example.',
  `example. SOA ns.example.com. host.example.com. 1 2 3 4 5
   example. NS ns.example.com.
   example. NS ns.example.net.
   *.example. TXT "this is a wildcard"
   *.example. MX 10 host1.example.
   sub.*.example. TXT "this is not a wildcard"
   host1.example. A 192.0.2.1
   _ssh._tcp.host1.example. SRV 0 0 22 host1.example.
   _ssh._tcp.host2.example. SRV 0 0 22 host2.example.
   subdel.example. NS ns.example.com.
   subdel.example. NS ns.example.net.`,
)

function ask(of: Zone, name: string, type: string): [rcode: string, ...answer: string[]] {
  const given = answer(of, { name, type: typeCode(type)! })
  return [rcodeName(given.rcode), ...linesOfSets(given.answer)]
}

test('[Z16] RFC 4592 2.2.1: names without a closer match are synthesised', () => {
  deepEqual(ask(zone, 'host3.example.', 'MX'), ['NOERROR', 'host3.example. 3600 MX 10 host1.example.'])
  deepEqual(ask(zone, 'foo.bar.example.', 'TXT'), ['NOERROR', 'foo.bar.example. 3600 TXT "this is a wildcard"'])
})

test('[Z17] RFC 4592 2.2.1: a wildcard without the type is NODATA', () => {
  deepEqual(ask(zone, 'host3.example.', 'A'), ['NOERROR'])
})

test('[Z17] a wildcard that is an empty non-terminal is NODATA', () => {
  const ent = zoneFrom('example.', '@ SOA . . 1 2 3 4 5\nsub.* TXT "x"\n*.deep.* TXT "y"')
  deepEqual(ask(ent, 'host.example.', 'TXT'), ['NOERROR'])
  deepEqual(ask(ent, 'a.b.example.', 'TXT'), ['NOERROR'])
  deepEqual(ask(ent, 'x.deep.*.example.', 'TXT'), ['NOERROR', 'x.deep.*.example. 3600 TXT "y"'])
})

test('[Z18] RFC 4592 2.2.1: names that exist, also without records, shut the wildcard out', () => {
  deepEqual(ask(zone, 'host1.example.', 'MX'), ['NOERROR'])
  deepEqual(ask(zone, '_telnet._tcp.host1.example.', 'SRV'), ['NXDOMAIN'])
  deepEqual(ask(zone, '_tcp.host2.example.', 'MX'), ['NOERROR'])
  deepEqual(ask(zone, 'host2.example.', 'MX'), ['NOERROR'])
  deepEqual(ask(zone, 'x.host2.example.', 'MX'), ['NXDOMAIN'])
})

test('[Z19] RFC 4592 2.2.1: an asterisk asked for is a label like any other', () => {
  deepEqual(ask(zone, 'sub.*.example.', 'MX'), ['NOERROR'])
  deepEqual(ask(zone, 'ghost.*.example.', 'MX'), ['NXDOMAIN'])
  deepEqual(ask(zone, '*.example.', 'TXT'), ['NOERROR', '*.example. 3600 TXT "this is a wildcard"'])
})

test('[Z19] RFC 4592 2.2.1: below a delegation there is no wildcard', () => {
  deepEqual(ask(zone, 'host.subdel.example.', 'A'), ['NOERROR'])
  deepEqual(linesOfSets(answer(zone, { name: 'host.subdel.example.', type: 1 }).authority), [
    'subdel.example. 3600 NS ns.example.com.',
    'subdel.example. 3600 NS ns.example.net.',
  ])
})

test('[Z19] NS of a wildcard does not delegate what it stands for', () => {
  const delegating = zoneFrom('example.', '@ SOA . . 1 2 3 4 5\n* NS ns.elsewhere.\n* TXT "x"')
  deepEqual(ask(delegating, 'a.example.', 'TXT'), ['NOERROR', 'a.example. 3600 TXT "x"'])
  deepEqual(ask(delegating, 'a.example.', 'NS'), ['NOERROR', 'a.example. 3600 NS ns.elsewhere.'])
})

test('[Z20] RFC 4592 4.3: a CNAME of a wildcard is followed', () => {
  const aliased = zoneFrom('example.', '@ SOA . . 1 2 3 4 5\n* CNAME host\nhost A 192.0.2.1\n*.sub CNAME nowhere.sub')
  deepEqual(ask(aliased, 'a.example.', 'A'), [
    'NOERROR',
    'a.example. 3600 CNAME host.example.',
    'host.example. 3600 A 192.0.2.1',
  ])
  deepEqual(ask(aliased, 'a.example.', 'CNAME'), ['NOERROR', 'a.example. 3600 CNAME host.example.'])
  deepEqual(ask(aliased, 'a.sub.example.', 'A'), [
    'NOERROR',
    'a.sub.example. 3600 CNAME nowhere.sub.example.',
    'nowhere.sub.example. 3600 CNAME nowhere.sub.example.',
  ])
})
