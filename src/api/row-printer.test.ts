import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { id, integer, nullable, text, textMap } from './field.ts'
import { openstack, specification } from './profile.ts'
import { resource } from './resource.ts'

const shelf = resource(
  {
    name: 'shelf',
    label: 'Shelf',
    plural: 'shelves',
    path: '/rooms/{room_id}/shelves/{id}',
    purpose: '',
    notFound: 'not_found',
  },
  {
    id: id(),
    room_id: text(36),
    name: nullable(text(50)),
    height: integer(0, 10),
    labels: textMap({ key: 9, value: 9, entries: 9 }),
    wear: { ...textMap({ key: 9, value: 9, entries: 9 }), show: (value: object) => Object.keys(value).length },
    fault: { ...nullable(text(50)), column: 'trouble', isAbsentIfNull: true },
    notes: { ...text(50), omitInList: (profile) => profile === specification },
  },
)

const stored = ['7', 'r1', 'a "quoted" \\ \u2028 name', 3, '{"a":"b"}', '{"x":"y","z":""}', 'bent', 'n']

test('a row in a list reads as the resource does on its own', () => {
  const { columns, print, idOf } = shelf.inList(openstack)
  deepEqual(columns, ['id', 'room_id', 'name', 'height', 'labels', 'wear', 'trouble', 'notes'])
  const row = shelf.fromRow(Object.fromEntries(columns.map((name, i) => [name, stored[i]])))
  equal(print(stored, 'http://h/v2'), JSON.stringify(shelf.view(row, openstack, 'http://h/v2')))
  equal(idOf(stored), '7')
})

test('text is escaped as JSON wants it, whatever is in it', () => {
  const { columns, print } = shelf.inList(openstack)
  for (const name of ['', 'plain ~!#[]', '"', '\\', '\n', '\u007f', '\u00e9', '\u2028', '\u{1f600}', 'a\ud800']) {
    const values = (stored as unknown[]).with(columns.indexOf('name'), name)
    equal(print(values, '').split('"name":')[1]!.split(',"height"')[0], JSON.stringify(name))
  }
})

test('what a field makes of its value follows the value from row to row', () => {
  const { columns, print } = shelf.inList(openstack)
  const wear = (text: string) => JSON.parse(print((stored as unknown[]).with(columns.indexOf('wear'), text), '')).wear
  deepEqual(['{}', '{"a":"b"}', '{"a":"b"}', '{}'].map(wear), [0, 1, 1, 0])
})

test('null is printed as null', () => {
  const printed = JSON.parse(shelf.inList(openstack).print(['7', 'r', null, 3, null, '{}', null, 'n'], ''))
  deepEqual([printed.name, printed.labels, printed.wear], [null, null, 0])
})

test('a field that a mount leaves out of lists is not even read', () => {
  const { columns, print } = shelf.inList(specification)
  equal(columns.includes('notes'), false)
  equal('notes' in JSON.parse(print(stored.slice(0, -1), '')), false)
})

test('a field that is absent if null is absent in lists and alone, and not promised', () => {
  const { columns, print } = shelf.inList(openstack)
  const values = (stored as unknown[]).with(columns.indexOf('trouble'), null)
  const row = shelf.fromRow(Object.fromEntries(columns.map((name, i) => [name, values[i]])))
  const shown = shelf.view(row, openstack, '')
  equal('fault' in shown, false)
  equal(print(values, ''), JSON.stringify(shown))
  equal(JSON.parse(print(stored, '')).fault, 'bent')
  deepEqual((shelf.schema.view.required as string[]).includes('fault'), false)
})
