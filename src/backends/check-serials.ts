import { join, sql } from '../db/sql.ts'
import { Exchange, NoAnswer } from '../exchange/exchange.ts'
import { type CheckContext, placeOf } from './checks.ts'
import { followsCatalog, type ProofServer } from './config.ts'
import { Unreachable } from './kind.ts'
import { kinds } from './kinds/index.ts'
import { pagesOf } from './pages.ts'
import type { ZoneRow } from './rows.ts'

const atOnce = 64
const patience = 2000
const namesAtOnce = 500

/** Compares the serial of every zone at every server with ours; resolves with how many zones there are. */
export async function checkSerials(context: CheckContext): Promise<number> {
  const { db, config, signal } = context
  let count = 0
  for await (const zones of pagesOf(db, config.id, signal)) {
    const wanted = zones.filter(({ type }) => type !== 'CATALOG')
    count += wanted.length
    await Promise.all(config.servers.map((server) => compare(context, server, wanted)))
  }
  return count
}

async function compare({ config, signal, report }: CheckContext, server: ProofServer, zones: readonly ZoneRow[]) {
  const exchange = new Exchange(server)
  const place = placeOf(config, server.id)
  const next = zones[Symbol.iterator]()
  let isSilent = false
  const asker = async () => {
    for (const { name, serial } of next) {
      if (signal.aborted || isSilent) return
      try {
        const shown = await exchange.serial(name, patience)
        if ('serial' in shown && shown.serial === serial) continue
        const what = 'absent' in shown ? shown.absent : `it shows serial ${shown.serial}, ours is ${serial}`
        report({ ...place, zone: name, level: 'error', what, mend: 'nothing, if it was just changed: it is delivered' })
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        if (!isSilent)
          report({ ...place, zone: name, level: 'error', what: error.message, mend: 'see that the server runs' })
        isSilent = true
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, asker))
  } finally {
    exchange.close()
  }
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
        for (const name of some.filter((one) => !ours.has(one))) {
          const mend = 'nothing, if it is meant to be there; otherwise remove it at the server'
          report({ ...place, zone: name, level: 'warning', what: 'the server has a zone that the pool does not', mend })
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
