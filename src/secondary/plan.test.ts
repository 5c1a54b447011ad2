import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rdataFromText, rdataToText } from '../dns/rdata.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { compare } from '../zonedata/compare.ts'
import { zoneFromRecords } from '../zonedata/zone.ts'
import { editsOf, Misfit, nameFault, planSets, type StoredSet, setKey, touchedFault } from './plan.ts'

const origin = 'example.org.'
const record = (name: string, text: string, ttl = 60): ResourceRecord => ({
  name,
  type: 1,
  class: 1,
  ttl,
  rdata: rdataFromText(1, text),
})

/** The rows that records are kept in. */
function rowsOf(records: readonly ResourceRecord[]): Map<string, StoredSet> {
  const rows = new Map<string, StoredSet>()
  for (const { name, ttl, rdata } of records) {
    const key = setKey(name, 'A')
    const row = rows.get(key)
    const texts = row === undefined ? [] : (JSON.parse(row.records) as string[])
    const text = rdataToText(1, rdata)
    const least = Math.min(row?.ttl ?? ttl, ttl)
    const all = texts.includes(text) ? texts : [...texts, text]
    rows.set(key, { id: key, name: row?.name ?? name, type: 'A', ttl: least, records: JSON.stringify(all) })
  }
  return rows
}

const arbitraryRecords = fc.array(
  fc
    .tuple(fc.constantFrom('a', 'b', 'C', 'c'), fc.integer({ min: 1, max: 4 }), fc.constantFrom(60, 300))
    .map(([label, n, ttl]) => record(`${label}.${origin}`, `192.0.2.${n}`, ttl)),
  { maxLength: 12 },
)

test('[Y4] the steps from one content to another leave exactly the other, and list what they take and add', () => {
  fc.assert(
    fc.property(arbitraryRecords, arbitraryRecords, (before, after) => {
      const rows = rowsOf(before)
      const [had, wanted] = [zoneFromRecords(origin, before), zoneFromRecords(origin, after)]
      const steps = planSets(editsOf(compare(had, wanted)), rows, 60)
      for (const { id, name, type, after: left } of steps) {
        const key = setKey(name, 'A')
        equal(id, rows.get(key)?.id)
        if (left === undefined) rows.delete(key)
        else {
          const texts = left.rdatas.map((rdata) => rdataToText(type, rdata))
          rows.set(key, { id: key, name, type: 'A', ttl: left.ttl, records: JSON.stringify(texts) })
        }
      }
      const shown = (sets: Map<string, StoredSet>) =>
        [...sets]
          .map(([key, { ttl, records }]) => [key, ttl, (JSON.parse(records) as string[]).toSorted()] as const)
          .toSorted((x, y) => (x[0] < y[0] ? -1 : 1))
      deepEqual(shown(rows), shown(rowsOf(after)))
      const removed = steps.flatMap((step) => step.removed)
      const added = steps.flatMap((step) => step.added)
      deepEqual(
        [removed.length, added.length],
        [compare(had, wanted).removed.length, compare(had, wanted).added.length],
      )
    }),
  )
})

test('[Y4] a change of what is not there, or adds what is, does not fit', () => {
  const rows = rowsOf([record('a.example.org.', '192.0.2.1')])
  const plan = (removed: ResourceRecord[], added: ResourceRecord[]) => planSets(editsOf({ removed, added }), rows, 60)
  throws(() => plan([record('a.example.org.', '192.0.2.2')], []), Misfit)
  throws(() => plan([record('b.example.org.', '192.0.2.1')], []), Misfit)
  throws(() => plan([], [record('A.example.org.', '192.0.2.1')]), Misfit)
  equal(plan([record('A.EXAMPLE.org.', '192.0.2.1', 5)], []).length, 1)
})

test('[Y4] a record with another TTL gives it to its whole set, and that is told to those who follow', () => {
  const rows = rowsOf([record('a.example.org.', '192.0.2.1')])
  const [step] = planSets(editsOf({ removed: [], added: [record('a.example.org.', '192.0.2.2', 5)] }), rows, 60)
  deepEqual(
    [step!.after!.ttl, step!.removed.map(({ ttl }) => ttl), step!.added.map(({ ttl }) => ttl)],
    [5, [60], [5, 5]],
  )
})

test('[Y3] a CNAME beside other data, two of them, and a top without NS are faults', () => {
  const [CNAME, NS, RRSIG] = [5, 2, 46]
  equal(nameFault(new Map([[CNAME, 1]]), false), undefined)
  equal(
    nameFault(
      new Map([
        [CNAME, 1],
        [RRSIG, 2],
      ]),
      false,
    ),
    undefined,
  )
  ok(
    nameFault(
      new Map([
        [CNAME, 1],
        [1, 1],
      ]),
      false,
    )?.includes('beside A'),
  )
  ok(nameFault(new Map([[CNAME, 2]]), false))
  ok(nameFault(new Map([[1, 1]]), true)?.includes('NS'))
  equal(nameFault(new Map([[NS, 1]]), true), undefined)
  const rows = rowsOf([record('a.example.org.', '192.0.2.1')])
  const alias = { ...record('A.example.org.', '192.0.2.1'), type: CNAME, rdata: rdataFromText(CNAME, 'b.example.org.') }
  const steps = planSets(editsOf({ removed: [], added: [alias] }), rows, 60)
  ok(touchedFault(steps, rows.values(), origin)?.includes('a.example.org.: a CNAME'))
})
