import type { Database } from '../db/sql.ts'
import { printAddress } from '../dns/address.ts'
import { zoneNamed } from '../journal/content.ts'
import { since, sizeSince } from '../journal/since.ts'
import { recordsOf } from '../zonedata/zone.ts'
import { packSnapshot } from './arena/snapshot-packer.ts'
import type { ArenaWriter } from './arena/writer.ts'
import type { KeyRing } from './key-ring.ts'
import type { Loader } from './load.ts'
import type { TransferSource } from './transfer.ts'

// Changes that take many times the octets of the zone are not worth reading, whatever remains of them in the end.
const mostTimes = 4
const octetsPerRecord = 64
const alwaysRead = 1 << 20

/** Transfers of what is served: whole zones from memory, changes from the journal. */
export const transferSource = (
  db: Database,
  { writer, loader, keys }: { readonly writer: ArenaWriter; readonly loader: Loader; readonly keys: KeyRing },
): TransferSource => ({
  find: (name) => db.read((tx) => zoneNamed(tx, name)),
  mayTransfer: (zone, { address }, keyName) => keys.mayTransfer(zone, printAddress(address), keyName),
  look({ id }) {
    const held = writer.stateOf(id)
    if (held?.state === 'failed') return { state: 'failed', reason: loader.failed.get(id)?.reason ?? '' }
    const soa = held?.state === 'ready' ? writer.soaOf(id) : undefined
    if (soa !== undefined) return { state: 'ready', soa: recordsOf(soa)[0]!, records: held!.records }
    loader.want([id])
    return { state: 'awaited' }
  },
  whole({ id }) {
    const snapshot = writer.snapshot(id)
    return { pack: (head, room) => packSnapshot(snapshot, head, room), release: snapshot.release }
  },
  changes: ({ id }, from, to) =>
    db.read(async (tx) => {
      const most = Math.max(alwaysRead, (writer.stateOf(id)?.records ?? 0) * octetsPerRecord * mostTimes)
      if ((await sizeSince(tx, { id, serial: from })) > most) return undefined
      const changes = (await since(tx, id, from))?.filter((change) => change.to <= to)
      return changes?.at(-1)?.to === to ? changes : undefined
    }),
})
