import { setTimeout as sleep } from 'node:timers/promises'
import { join, sql } from '../db/sql.ts'
import { Exchange, NoAnswer, type Shown } from '../exchange/exchange.ts'
import { type CheckContext, placeOf } from './checks.ts'
import { followsCatalog, type ProofServer } from './config.ts'
import { Unreachable } from './kind.ts'
import { kinds } from './kinds/index.ts'
import { pagesOf } from './pages.ts'
import { isDeliverable, namesGivenTo, type ZoneRow, zonesWithIds } from './rows.ts'

const atOnce = 64
const [attempts, patience] = [2, 1500]
const settleMilliseconds = 1500
const namesAtOnce = 500

/** Compares the serial of every zone at every server with ours; resolves with how many zones there are. */
export async function checkSerials(context: CheckContext): Promise<number> {
  const { db, config, signal } = context
  let count = 0
  for await (const zones of pagesOf(db, config.id, signal)) {
    const wanted = zones.filter(isDeliverable)
    count += wanted.length
    await Promise.all(config.servers.map((server) => compare(context, server, wanted)))
  }
  return count
}

/** Compares the serials that a server shows of some zones with ours. What differs is looked at again, as it may be on its way. */
export async function compare(context: CheckContext, server: ProofServer, zones: readonly ZoneRow[]): Promise<void> {
  const { db, config, signal, report } = context
  const exchange = new Exchange(server)
  const place = placeOf(config, server.id)
  try {
    let found = await differing(exchange, zones, signal)
    if (found.length > 0) {
      await sleep(settleMilliseconds, undefined, { signal }).catch(() => {})
      const now = await db.read((tx) => zonesWithIds(tx, [...new Set(found.map(({ zone }) => zone.id))]))
      const stillOurs = now.filter(({ pool_id, deleted_at }) => pool_id === config.id && deleted_at === null)
      if (!signal.aborted) found = await differing(exchange, stillOurs, signal)
    }
    for (const { zone, what, mend } of found) report({ ...place, zone: zone.name, level: 'error', what, mend })
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    report({ ...place, zone: null, level: 'error', what: error.message, mend: 'see that the server runs' })
  } finally {
    exchange.close()
  }
}

type Difference = { readonly zone: ZoneRow; readonly what: string; readonly mend: string }

/** What a server does not show as it is here; throws NoAnswer where it is silent. */
async function differing(exchange: Exchange, zones: readonly ZoneRow[], signal: AbortSignal): Promise<Difference[]> {
  const found: Difference[] = []
  const next = zones[Symbol.iterator]()
  const asker = async () => {
    for (const zone of next) {
      if (signal.aborted) return
      const shown = await patiently(exchange, zone.name)
      if ('serial' in shown && shown.serial === zone.serial) continue
      const what = 'absent' in shown ? shown.absent : `it shows serial ${shown.serial}, ours is ${zone.serial}`
      found.push({ zone, what, mend: 'nothing, if it was just changed: it is delivered' })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, asker))
  return found
}

/** Datagrams are lost at times, and some servers can be asked over TCP alone. */
async function patiently(exchange: Exchange, name: string): Promise<Shown> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await exchange.serial(name, patience)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
    }
  }
  return exchange.serialOverTcp(name, patience)
}

const stranger = {
  what: 'the server has a zone that the pool does not',
  mend: 'nothing, if it is meant to be there; otherwise remove it at the server',
}
const leaving = {
  what: 'the server still has a zone that was deleted or moves to another pool',
  mend: 'nothing: it is dropped there, one that moves once the servers of its new pool show it',
}

/** Tells of zones that targets have and the pool does not; they are never touched. */
export async function checkStrangers({ db, config, signal, report }: CheckContext): Promise<void> {
  for (const target of config.targets) {
    const kind = kinds[target.type]
    if (kind === undefined || followsCatalog(config, target)) continue
    const driver = kind.open(target)
    const place = placeOf(config, target.id)
    try {
      const names = (await driver.listZones?.(signal)) ?? []
      for (let at = 0; at < names.length; at += namesAtOnce) {
        const some = names.slice(at, at + namesAtOnce).map((name) => name.toLowerCase())
        const known = await db.read((tx) =>
          tx.all<{ name: string }>(sql`
            select name_key as name from zones where pool_id = ${config.id} and gone_at is null and name_key in (${join(some)})`),
        )
        const ours = new Set(known.map(({ name }) => name))
        const given = await db.read((tx) => namesGivenTo(tx, target.id, some))
        for (const name of some.filter((one) => !ours.has(one))) {
          report({ ...place, zone: name, level: 'warning', ...(given.has(name) ? leaving : stranger) })
        }
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      report({ ...place, zone: null, level: 'error', what: error.message, mend: 'see that the server runs' })
    } finally {
      await driver.close()
    }
  }
}
