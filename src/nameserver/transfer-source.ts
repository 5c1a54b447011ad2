import { type Database, sql } from '../db/sql.ts'
import { printAddress } from '../dns/address.ts'
import { nameKey } from '../dns/name.ts'
import type { ResourceRecord, RRset } from '../dns/record.ts'
import { since } from '../journal/since.ts'
import { SOA } from '../zonedata/type-codes.ts'
import { recordsOf } from '../zonedata/zone.ts'
import type { ArenaWriter } from './arena/writer.ts'
import type { KeyRing } from './key-ring.ts'
import type { TransferSource, TransferZone } from './transfer.ts'

/** Transfers of what is served: whole zones from memory, changes from the journal. */
export const transferSource = (db: Database, writer: ArenaWriter, keys: KeyRing): TransferSource => ({
  find: (name) =>
    db.read((tx) =>
      tx.get<TransferZone>(sql`
        select id, pool_id, serial from zones where name_key = ${nameKey(name)} and deleted_at is null order by id limit 1`),
    ),
  content({ id }) {
    const snapshot = writer.snapshot(id)
    if (snapshot === undefined) return undefined
    const rrsets = snapshot.rrsets()
    const apex: RRset[] = []
    let soa: RRset | undefined
    // The apex comes first, and the SOA is among its sets. Not `for of`: leaving that would end the generator.
    for (let next = rrsets.next(); !next.done; next = rrsets.next()) {
      if (next.value.type === SOA) {
        soa = next.value
        break
      }
      apex.push(next.value)
    }
    if (soa === undefined) {
      snapshot.release()
      return undefined
    }
    return {
      soa: recordsOf(soa)[0]!,
      rest: both(apex, rrsets),
      recordCount: snapshot.records,
      release: () => snapshot.release(),
    }
  },
  changesSince: ({ id }, serial) => db.read((tx) => since(tx, id, serial)),
  mayTransfer: (zone, { address }, keyName) => keys.mayTransfer(zone, printAddress(address), keyName),
})

function* both(first: readonly RRset[], rest: Iterable<RRset>): Generator<ResourceRecord> {
  for (const rrset of first) yield* recordsOf(rrset)
  for (const rrset of rest) yield* recordsOf(rrset)
}
