import { deepEqual, doesNotMatch } from 'node:assert/strict'
import { test } from 'node:test'
import { allOf, commandsFor, faultText, heldOf, type Wanted } from './sections.ts'

const values = [
  { section: 'remote', item: 'id', data: 'r' },
  { section: 'remote', item: 'address', id: 'r', data: '127.0.0.1@53' },
  { section: 'remote', item: 'address', id: 'r', data: '::1@53' },
]
const wanted = (address: readonly string[], key: readonly string[] = []): Wanted => ({
  section: 'remote',
  id: 'r',
  items: { address, key },
})
const words = (all: ReturnType<typeof commandsFor>) =>
  all.map(({ command, item = '', data = '' }) => `${command} ${item} ${data}`.trim())

test('[W41] what is configured as it should be needs no command', () => {
  deepEqual(commandsFor(wanted(['::1@53', '127.0.0.1@53']), heldOf({ values, errors: [] })), [])
})

test('[W41] what is not there is made, and what differs is made anew', () => {
  deepEqual(words(commandsFor(wanted(['::1@53'], ['k']), undefined)), [
    'conf-set',
    'conf-set address ::1@53',
    'conf-set key k',
  ])
  deepEqual(words(commandsFor(wanted(['::1@53']), heldOf({ values, errors: [] }))), [
    'conf-unset address',
    'conf-set address ::1@53',
  ])
})

test('things of a section are told apart by their ids', () => {
  const all = allOf({ values: [...values, { section: 'remote', item: 'id', data: 's' }], errors: [] })
  deepEqual([...all.keys()], ['r', 's'])
  deepEqual(all.get('r')?.get('address'), ['127.0.0.1@53', '::1@53'])
})

test('[W44] what knotd has against a secret does not show it', () => {
  doesNotMatch(faultText({ error: 'x', section: 'key', id: 'k', item: 'secret', data: 'c2VjcmV0' }), /c2VjcmV0/)
})
