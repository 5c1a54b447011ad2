import type { SeenRow, ZoneRow } from './rows.ts'
import type { ServerProbe } from './server.ts'

const atOnce = 64

/** Which zones a server does not show as they are, and what it shows of them. Throws NoAnswer where it falls silent. */
export async function lostAt(probe: ServerProbe, zones: readonly ZoneRow[]): Promise<SeenRow[]> {
  const lost: SeenRow[] = []
  const next = zones[Symbol.iterator]()
  const asker = async () => {
    for (const zone of next) {
      const shown = await probe.look(zone.name)
      const serial = 'serial' in shown ? shown.serial : null
      if (serial === zone.serial) continue
      const error = 'absent' in shown ? shown.absent : null
      lost.push({ zone_id: zone.id, server_id: probe.server.id, serial, error })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, asker))
  return lost
}
