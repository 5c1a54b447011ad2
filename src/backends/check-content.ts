import { DnsError } from '../dns/errors.ts'
import { takeTransfer } from '../exchange/client.ts'
import { Exchange, NoAnswer } from '../exchange/exchange.ts'
import { BadTransfer, TransferRefused } from '../exchange/parse-transfer.ts'
import { recordsIn, setsOf } from '../journal/content.ts'
import { compare as difference } from '../zonedata/compare.ts'
import { serialOf, type Zone, zoneFromRecords } from '../zonedata/zone.ts'
import { compare } from './check-serials.ts'
import { type CheckContext, placeOf } from './checks.ts'
import type { ProofServer } from './config.ts'
import { pagesOf } from './pages.ts'
import { isDeliverable, type ZoneRow, zonesWithIds } from './rows.ts'

const patience = { answer: 2000, silence: 10_000, transfer: 600_000 }

/**
 * Takes every zone from every server, and compares it with ours record by record; resolves with how many zones there are. Of
 * servers that do not let us have zones, serials are compared.
 */
export async function checkContent(context: CheckContext): Promise<number> {
  const { db, config, signal } = context
  const standing = new Map<string, Standing>()
  let count = 0
  for await (const page of pagesOf(db, config.id, signal)) {
    const zones = page.filter(isDeliverable)
    for (const server of config.servers) {
      const left = zones.values()
      for (const zone of standing.has(server.id) ? [] : left) {
        if (signal.aborted) return count
        const found = await compareZone(context, server, zone)
        if (found === 'compared') continue
        standing.set(server.id, found)
        break
      }
      if (standing.get(server.id) === 'refuses') await compare(context, server, [...left])
    }
    count += zones.length
  }
  return count
}

type Standing = 'refuses' | 'silent'

/** Compares a zone with what a server has of it, where the server lets us have zones at all. */
async function compareZone(context: CheckContext, server: ProofServer, zone: ZoneRow): Promise<'compared' | Standing> {
  const { db, config, signal, report } = context
  const { id, name } = zone
  const place = { ...placeOf(config, server.id), zone: name }
  try {
    const ours = await contentOf(db, id)
    if (ours === undefined) return 'compared'
    const limits = limitsFor(ours.recordCount)
    const transfer = await takeTransfer(server, name, { have: undefined, limits, patience, signal })
    if (transfer.kind !== 'whole') throw new BadTransfer('it did not send the whole zone')
    const theirs = zoneFromRecords(name, [transfer.soa, ...transfer.records])
    if (serialOf(ours) !== serialOf(theirs)) {
      // It may be on its way.
      await compare(context, server, [zone])
      return 'compared'
    }
    const { removed, added } = difference(theirs, ours)
    if (removed.length + added.length > 0) {
      const what = `under the same serial it has ${removed.length} records that we do not, and lacks ${added.length} that we have`
      report({
        ...place,
        level: 'error',
        what,
        mend: 'have the server take the zone anew (rndc retransfer, knotc zone-retransfer, nsd-control force_transfer)',
      })
    }
    return 'compared'
  } catch (error) {
    // Whatever a server sends is a finding of that zone, and keeps no other from being looked at.
    if (!(error instanceof BadTransfer || error instanceof DnsError)) throw error
    const what = error.message.replace('the master', 'it')
    const has = await hasZone(server, name)
    if (error instanceof TransferRefused && has === true) {
      const mend = 'let this service transfer zones from the server; until then serials alone are compared there'
      report({ ...place, level: 'warning', what: `it does not let us have zones: ${what}`, mend })
      return 'refuses'
    }
    const mend = has === undefined ? 'see that the server runs' : 'nothing, if it was just made: it is delivered'
    report({ ...place, level: 'error', what, mend })
    return has === undefined ? 'silent' : 'compared'
  }
}

/** Whether a server has a zone that could not be taken from it; undefined where it does not answer. */
async function hasZone(server: ProofServer, name: string): Promise<boolean | undefined> {
  const exchange = new Exchange(server)
  try {
    return 'serial' in (await exchange.serialOverTcp(name, patience.answer))
  } catch (error) {
    if (error instanceof NoAnswer) return undefined
    throw error
  } finally {
    exchange.close()
  }
}

/** What a server may send of a zone that has so many records here: more than that differs, however it goes on. */
const limitsFor = (records: number) => ({
  records: 2 * records + 10_000,
  octets: 4096 * records + 64 * 1024 * 1024,
  messages: 2 * records + 10_000,
})

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
