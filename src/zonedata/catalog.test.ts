import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf, recordsFrom, zoneFrom } from '../../test/support/zones.ts'
import { catalogRecords, changeMember, type Member, readCatalog } from './catalog.ts'
import { apply } from './change.ts'
import { checkZone } from './check.ts'
import { sameContent } from './compare.ts'
import { zoneFromRecords } from './zone.ts'

const timers = { refresh: 60, retry: 10, expire: 604800 }
const members: Member[] = [
  { id: 'id1', zone: 'example.com.', groups: [] },
  { id: 'id2', zone: 'example.net.', groups: ['one', 'two'] },
  { id: 'id3', zone: 'example.org.', groups: [], newCatalog: 'other.invalid.' },
]
const built = (serial: number, list: readonly Member[]) =>
  zoneFromRecords('cat.', catalogRecords('cat.', serial, list, timers))

test('[Z60] a catalog is read by its names', () => {
  const zone = zoneFrom(
    'cat.',
    `@ 0 SOA invalid. invalid. 1 2 3 4 5
     @ 0 NS invalid.
     version 0 TXT "2"
     U1.zones 0 PTR example.com.
     group.u1.zones 0 TXT "no" "dnssec"
     x.ext.u1.zones 0 TXT "not ours"
     coo.u2.zones 0 PTR newcat.
     u2.zones 0 PTR example.net.
     group.gone.zones 0 TXT "no member"
     ext 0 TXT "nor this"`,
  )
  deepEqual(readCatalog(zone), {
    members: [
      { id: 'U1', zone: 'example.com.', groups: ['nodnssec'] },
      { id: 'u2', zone: 'example.net.', groups: [], newCatalog: 'newcat.' },
    ],
    faults: [],
  })
})

const start = '@ SOA . . 1 2 3 4 5\n@ NS invalid.'
const broken: [what: string, lines: string, count: number][] = [
  ['no version', '', 1],
  ['another version', 'version TXT "1"', 1],
  ['two versions', 'version TXT "2"\nversion TXT "3"', 1],
  ['two zones at one member', 'version TXT "2"\na.zones PTR b.\na.zones PTR c.', 1],
  ['two new catalogs of one member', 'version TXT "2"\na.zones PTR b.\ncoo.a.zones PTR c.\ncoo.a.zones PTR d.', 1],
  ['one zone listed twice', 'version TXT "2"\na.zones PTR b.\nb.zones PTR B.', 1],
]

for (const [what, lines, count] of broken) {
  test(`[Z61] a catalog with ${what} is broken`, () => {
    equal(readCatalog(zoneFrom('cat.', `${start}\n${lines}`)).faults.length, count)
  })
}

test('[Z62] a catalog that is built is read back the same and is a sound zone', () => {
  const zone = built(7, members)
  deepEqual(readCatalog(zone), { members, faults: [] })
  deepEqual(checkZone(zone), [])
})

test('[Z63] a member is added, changed and removed by a change of its own records', () => {
  const zone = built(1, members)
  const added = changeMember(zone, { id: 'id4', zone: 'new.example.', groups: ['g'] }, 2)
  deepEqual(linesOf(added.removed), ['cat. 0 SOA invalid. invalid. 1 60 10 604800 0'])
  deepEqual(linesOf(added.added), [
    'cat. 0 SOA invalid. invalid. 2 60 10 604800 0',
    'id4.zones.cat. 0 PTR new.example.',
    'group.id4.zones.cat. 0 TXT "g"',
  ])
  const moved: Member = { id: 'id2', zone: 'example.net.', groups: ['two', 'three'] }
  const next = apply(apply(apply(zone, added), changeMember(apply(zone, added), moved, 3)), {
    ...changeMember(built(3, members), { id: 'id1' }, 4),
  })
  deepEqual(readCatalog(next).members, [moved, members[2], { id: 'id4', zone: 'new.example.', groups: ['g'] }])
})

test('[Z63] a member that stays as it is changes the SOA alone', () => {
  const zone = built(1, members)
  const { removed, added } = changeMember(zone, members[1]!, 2)
  deepEqual([removed.length, added.length], [1, 1])
  equal(sameContent(apply(zone, changeMember(zone, { id: 'id3' }, 9)), built(9, members.slice(0, 2))), true)
})

test('[Z60] a name that looks like a member elsewhere is let be', () => {
  const zone = zoneFromRecords('cat.', [
    ...catalogRecords('cat.', 1, [], timers),
    ...recordsFrom('cat.', 'a.zoness PTR b.\nzones PTR c.\na.b.zones PTR d.'),
  ])
  deepEqual(readCatalog(zone), { members: [], faults: [] })
})
