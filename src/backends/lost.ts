import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswer, type Shown } from '../exchange/exchange.ts'
import type { SeenRow, ZoneRow } from './rows.ts'
import type { ServerProbe } from './server.ts'

/** A zone that a server does not show at the serial it had. */
export type Lost = SeenRow & { readonly wanted: number }

const atOnce = 64
const [attempts, pause] = [4, 300]

/** Which zones a server does not show as they are, and what it shows of them. Throws NoAnswer where it falls silent. */
export async function lostAt(probe: ServerProbe, zones: readonly ZoneRow[]): Promise<Lost[]> {
  const lost: Lost[] = []
  const next = zones[Symbol.iterator]()
  const asker = async () => {
    for (const zone of next) {
      const shown = await patiently(probe, zone.name)
      const serial = 'serial' in shown ? shown.serial : null
      if (serial === zone.serial) continue
      const error = 'absent' in shown ? shown.absent : null
      lost.push({ zone_id: zone.id, server_id: probe.server.id, serial, error, wanted: zone.serial })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, asker))
  return lost
}

/** A datagram or two may be lost on the way to a server that is well. */
async function patiently(probe: ServerProbe, name: string): Promise<Shown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await probe.look(name)
    } catch (error) {
      if (!(error instanceof NoAnswer) || attempt === attempts || probe.down !== undefined) throw error
      await sleep(pause)
    }
  }
}
