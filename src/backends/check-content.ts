import { takeTransfer } from '../exchange/client.ts'
import { BadTransfer, TransferRefused } from '../exchange/parse-transfer.ts'
import { recordsIn, setsOf } from '../journal/content.ts'
import { compare } from '../zonedata/compare.ts'
import { serialOf, type Zone, zoneFromRecords } from '../zonedata/zone.ts'
import { type CheckContext, placeOf } from './checks.ts'
import type { ProofServer } from './config.ts'
import { pagesOf } from './pages.ts'
import { type ZoneRow, zonesWithIds } from './rows.ts'

const patience = { answer: 2000, silence: 10_000, transfer: 600_000 }
const limits = { records: 20_000_000, octets: 4_000_000_000, messages: 10_000_000 }

/** Takes every zone from every server, and compares it with ours record by record; resolves with how many zones there are. */
export async function checkContent(context: CheckContext): Promise<number> {
  const { db, config, signal } = context
  let count = 0
  const refusing = new Set<string>()
  for await (const zones of pagesOf(db, config.id, signal)) {
    for (const zone of zones.filter(({ type }) => type !== 'CATALOG')) {
      count++
      for (const server of config.servers) {
        if (signal.aborted) return count
        if (!refusing.has(server.id) && !(await compareZone(context, server, zone))) refusing.add(server.id)
      }
    }
  }
  return count
}

/** Tells whether the server lets us have zones at all. */
async function compareZone({ db, config, signal, report }: CheckContext, server: ProofServer, { id, name }: ZoneRow) {
  const place = { ...placeOf(config, server.id), zone: name }
  try {
    const transfer = await takeTransfer(server, name, { have: undefined, limits, patience, signal })
    if (transfer.kind !== 'whole') throw new BadTransfer('it did not send the whole zone')
    const theirs = zoneFromRecords(name, [transfer.soa, ...transfer.records])
    const ours = await contentOf(db, id)
    if (ours === undefined) return true
    const [here, there] = [serialOf(ours), serialOf(theirs)]
    if (here !== there) {
      report({
        ...place,
        level: 'error',
        what: `it has serial ${there}, ours is ${here}`,
        mend: 'nothing, if it was just changed',
      })
      return true
    }
    const { removed, added } = compare(theirs, ours)
    if (removed.length + added.length > 0) {
      const what = `under the same serial it has ${removed.length} records that we do not, and lacks ${added.length} that we have`
      report({
        ...place,
        level: 'error',
        what,
        mend: 'have the server take the zone anew (rndc retransfer, knotc zone-retransfer, nsd-control force_transfer)',
      })
    }
    return true
  } catch (error) {
    if (!(error instanceof BadTransfer)) throw error
    const isRefused = error instanceof TransferRefused
    const mend = isRefused
      ? 'let this service transfer zones from the server, for its content to be compared'
      : 'see that the server runs'
    report({ ...place, level: isRefused ? 'warning' : 'error', what: error.message.replace('the master', 'it'), mend })
    return !isRefused
  }
}

/** A zone as our rows have it. */
function contentOf(db: CheckContext['db'], id: string): Promise<Zone | undefined> {
  return db.read(async (tx) => {
    const [zone] = await zonesWithIds(tx, [id])
    if (zone === undefined || zone.deleted_at !== null) return undefined
    const records = []
    for await (const sets of setsOf(tx, id)) for (const set of sets) records.push(...recordsIn(set, zone.ttl))
    return zoneFromRecords(zone.name, records)
  })
}
