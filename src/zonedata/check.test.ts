import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arbitraryZone } from '../../test/support/arbitrary-zones.ts'
import { recordsFrom } from '../../test/support/zones.ts'
import { typeName } from '../dns/types/index.ts'
import { check, checkZone } from './check.ts'

const sound = '@ SOA . . 1 2 3 4 5\n@ NS ns.elsewhere.'

/** The faults of a sound zone with these lines added, as `severity name type`. */
function faults(lines: string, start = sound): string[] {
  const found = check('example.', recordsFrom('example.', `${start}\n${lines}`))
  return found.map(({ severity, name, type }) => `${severity} ${name} ${typeName(type)}`)
}

const table: [name: string, lines: string, faults: string[]][] = [
  [
    '[Z40] a sound zone has no faults',
    'www A 192.0.2.1\nsub NS ns.sub\nns.sub A 192.0.2.2\nd DNAME elsewhere.\nc CNAME www',
    [],
  ],
  ['[Z40] a name outside the zone is an error', 'www.example.org. A 192.0.2.1', ['error www.example.org. A']],
  ['[Z41] the same record twice is a warning', 'w MX 1 x.elsewhere.\nW MX 1 X.elsewhere.', ['warning W.example. MX']],
  ['[Z41] several TTLs in an RRset are a warning', 'w 60 A 192.0.2.1\nw 70 A 192.0.2.2', ['warning w.example. A']],
  ['[Z42] a second SOA is an error', '@ SOA . . 2 2 3 4 5', ['error example. SOA']],
  ['[Z42] an SOA below the apex is an error', 'w SOA . . 2 2 3 4 5', ['error w.example. SOA']],
  ['[Z42] DS at the apex is an error', '@ DS 1 8 1 0123456789ABCDEF0123456789ABCDEF01234567', ['error example. DS']],
  ['[Z43] a CNAME beside other data is an error', 'w CNAME x.elsewhere.\nw A 192.0.2.1', ['error w.example. CNAME']],
  ['[Z43] a CNAME at the apex is an error', '@ CNAME x.elsewhere.', ['error example. CNAME']],
  ['[Z43] a CNAME beside NSEC is not', 'w CNAME x.elsewhere.\nw NSEC example. CNAME NSEC', []],
  ['[Z43] two CNAMEs are an error', 'w CNAME x.elsewhere.\nw CNAME y.elsewhere.', ['error w.example. CNAME']],
  ['[Z43] two DNAMEs are an error', 'w DNAME x.elsewhere.\nw DNAME y.elsewhere.', ['error w.example. DNAME']],
  [
    '[Z44] a DNAME beside a delegation is an error',
    'w DNAME x.elsewhere.\nw NS y.elsewhere.',
    ['error w.example. DNAME'],
  ],
  [
    '[Z44] a record below a DNAME is an error',
    'w DNAME x.elsewhere.\na.w A 192.0.2.1\naw A 192.0.2.1',
    ['error a.w.example. A'],
  ],
  ['[Z44] a DNAME at the apex hides all below it', '@ DNAME x.elsewhere.\na TXT "x"', ['error a.example. TXT']],
  ['[Z44] a DNAME at a wildcard is a warning', '* DNAME x.elsewhere.', ['warning *.example. DNAME']],
  ['[Z45] NS at a wildcard is an error', '* NS x.elsewhere.', ['error *.example. NS']],
  [
    '[Z45] DS without NS is a warning',
    'w DS 1 8 1 0123456789ABCDEF0123456789ABCDEF01234567',
    ['warning w.example. DS'],
  ],
  ['[Z46] records at a delegation are a warning', 's NS x.elsewhere.\ns TXT "x"', ['warning s.example. TXT']],
  [
    '[Z46] records below a delegation are a warning',
    's NS x.elsewhere.\na.b.s TXT "x"',
    ['warning a.b.s.example. TXT'],
  ],
  ['[Z46] a delegation below another is one', 's NS x.elsewhere.\na.s NS y.elsewhere.', ['warning a.s.example. NS']],
  ['[Z47] a delegation that needs glue and has none is an error', 's NS ns.s', ['error s.example. NS']],
  ['[Z47] a delegation to itself needs glue too', 's NS s', ['error s.example. NS']],
  ['[Z47] its glue is no fault', 's NS s\ns A 192.0.2.1', []],
  ['[Z47] glue below another delegation is a warning', 's NS ns.t\nt NS x.elsewhere.', ['warning s.example. NS']],
  ['[Z47] NS to a name without address is an error', 's NS ns\nns TXT "x"', ['error s.example. NS']],
  [
    '[Z47] MX and SRV to one are warnings',
    'w MX 1 no\nw SRV 0 0 1 no',
    ['warning w.example. MX', 'warning w.example. SRV'],
  ],
  ['[Z47] a null MX and an address by wildcard are no fault', 'w MX 0 .\nv MX 0 m.w2\n*.w2 A 192.0.2.1', []],
  ['[Z48] glue that nothing needs is a warning', 's NS x.elsewhere.\nns.s A 192.0.2.1', ['warning ns.s.example. A']],
  [
    '[Z49] MX and NS at an alias are warnings',
    'c CNAME x.elsewhere.\nw MX 0 c\ns NS c',
    ['warning s.example. NS', 'warning w.example. MX'],
  ],
  ['[Z49] a target below a DNAME is a warning', 'd DNAME x.elsewhere.\nw MX 0 m.d', ['warning w.example. MX']],
]

for (const [name, lines, expected] of table) {
  test(name, () => deepEqual(faults(lines), expected))
}

test('[Z40] another class is an error', () => {
  const chaos = recordsFrom('example.', 'w A 192.0.2.1').map((record) => ({ ...record, class: 3 }))
  const found = check('example.', [...recordsFrom('example.', sound), ...chaos])
  deepEqual(
    found.map(({ message }) => message),
    ['w.example. A: the class must be IN (1), not 3'],
  )
})

test('[Z42] an empty zone lacks SOA and NS', () =>
  deepEqual(faults('', ''), ['error example. SOA', 'error example. NS']))

test('any zone can be checked', () => {
  fc.assert(
    fc.property(arbitraryZone('example.'), (zone) => {
      checkZone(zone)
    }),
  )
})
