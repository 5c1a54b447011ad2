import type { PoolServers } from '../resources/pool-delivery/fields.ts'
import type { Command } from './command.ts'
import { namedPools, openPools } from './pools-state.ts'
import { addressText, count, shown, table } from './pools-words.ts'
import { readWords } from './words.ts'

/** `nameplane pools status` */
export const status: Command = {
  summary: 'Show the servers of every pool, and which of them are up.',
  usage: 'nameplane pools status [--url URL] [POOL…]',
  help: `Shows what the service last saw of each server, without asking the servers again (nameplane pools check does). A POOL is
the name or the id of a pool; without one, all are shown.

A pool is ACTIVE when all its servers are up, DEGRADED when enough of them are for changes to count as served (the
threshold_percentage of the pool), and ERROR when fewer are. Where a pool has name servers, its targets stand below them:
one that cannot be given zones is DOWN, and the pool then DEGRADED at best. BEHIND tells how many zones a server does not yet have in
their latest version.

--url       The service; else NAMEPLANE_URL, else http://127.0.0.1:9001. NAMEPLANE_TOKEN and NAMEPLANE_PROJECT say who asks.`,
  async run(args) {
    const { words, flags } = readWords(args, ['url'], [])
    const client = openPools(flags.url)
    for (const { id, name } of await namedPools(client, words)) {
      process.stdout.write(statusText(name, await client.json<PoolServers>('GET', `/v2/pools/${id}/servers`)))
    }
    return 0
  },
}

const titles = ['SERVER', 'ROLE', 'TYPE', 'STATUS', 'SINCE', 'SEEN', 'BEHIND', 'ERROR']

/** The servers of a pool as a table. */
export function statusText(
  name: string,
  { status: all, delivered_by, servers, targets }: Omit<PoolServers, 'pool_id'>,
): string {
  const by = delivered_by === null ? '' : `, delivered by ${shown(delivered_by.holder)}`
  const given = targets.map((one) => ({ ...one, role: 'target', seen_at: null, zones_behind: '-' }))
  const rows = [...servers, ...given].map((one) => [
    one.host === null ? '-' : addressText({ host: one.host, port: one.port ?? 53 }),
    one.role,
    one.type ?? '-',
    one.status,
    moment(one.since),
    moment(one.seen_at),
    String(one.zones_behind),
    one.error === null ? '' : shown(one.error),
  ])
  return `pool ${shown(name)}: ${all}, ${count(servers.length, 'server')}${by}\n${table(titles, rows, '  ')}`
}

/** `2026-11-15 08:30:00`, UTC. */
const moment = (text: string | null): string => (text === null ? '-' : text.slice(0, 19).replace('T', ' '))
