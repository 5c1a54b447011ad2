import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckFinding, PoolCheck } from '../resources/pool-checks/fields.ts'
import { Trouble } from '../trouble.ts'
import type { Client } from './client.ts'
import type { Command } from './command.ts'
import { namedPools, openPools, type PoolView } from './pools-state.ts'
import { count, shown } from './pools-words.ts'
import { readWords } from './words.ts'

const ending = `--timeout   How many seconds to wait for the answer of a pool.
--url       The service; else NAMEPLANE_URL, else http://127.0.0.1:9001. NAMEPLANE_TOKEN and NAMEPLANE_PROJECT say who asks.

Ends with 0 when nothing is in error, 1 when something is or the answer did not come in time.`

/** `nameplane pools check` */
export const check: Command = {
  summary: 'Reach every server of a pool, and say what is wrong and how to mend it.',
  usage: 'nameplane pools check [--timeout SECONDS] [--url URL] [POOL…]',
  help: `A pool is a set of DNS servers that answer for the zones placed in it. This has the service try each of them: whether
its control channel takes our key, whether it answers DNS and says the right things, whether its settings make it slow.
For each server it says what is well (ok), what will cost you (warning) and what keeps zones from being served (error),
with what to do about it. Nothing is changed anywhere. A POOL is the name or the id of a pool; without one, all are
checked.

${ending}`,
  async run(args) {
    const { words, flags } = readWords(args, ['timeout', 'url'], [])
    return checkAll(openPools(flags.url), words, 'reach', secondsIn(flags.timeout, 60))
  },
}

/** `nameplane pools audit` */
export const audit: Command = {
  summary: 'Compare what every server of a pool serves with what it should.',
  usage: 'nameplane pools audit [--content] [--timeout SECONDS] [--url URL] [POOL…]',
  help: `Asks each server of a pool for every zone of the pool, and tells which it lacks, which it has in an older version, and
which it has that we do not know of (those are never touched). A POOL is the name or the id of a pool; without one, all
are audited.

--content   Also take each zone from each server and compare it record by record: sure, and much more work for both.
${ending}`,
  async run(args) {
    const { words, flags, switches } = readWords(args, ['timeout', 'url'], ['content'])
    const depth = switches.has('content') ? 'content' : 'serials'
    return checkAll(openPools(flags.url), words, depth, secondsIn(flags.timeout, depth === 'content' ? 3600 : 600))
  },
}

function secondsIn(text: string | undefined, preset: number): number {
  if (text === undefined) return preset
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (seconds === 0) throw new Trouble(`--timeout must be a number of seconds, not ${JSON.stringify(text)}`, 2)
  return seconds
}

type Depth = PoolCheck['depth']

async function checkAll(client: Client, words: readonly string[], depth: Depth, seconds: number): Promise<number> {
  const pools = await namedPools(client, words)
  // All begin at once, and each is told in its turn.
  const running = await Promise.all(pools.map((pool) => begin(client, pool, depth)))
  const deadline = Date.now() + seconds * 1000
  let isWrong = false
  for (const [i, pool] of pools.entries()) {
    const ended = await waitFor(client, pool, running[i]!, deadline)
    process.stdout.write(checkText(pool.name, ended, depth))
    if (ended.status !== 'COMPLETE' || ended.findings.some(({ level }) => level === 'error')) isWrong = true
    if (ended.status === 'PENDING' || ended.status === 'RUNNING') {
      process.stderr.write(`nameplane: ${lateText(pool, ended, seconds, client.url)}\n`)
    }
  }
  return isWrong ? 1 : 0
}

const begin = (client: Client, { id }: PoolView, depth: Depth): Promise<PoolCheck> =>
  client.json<PoolCheck>('POST', `/v2/pools/${id}/checks`, { depth })

async function waitFor(client: Client, pool: PoolView, begun: PoolCheck, deadline: number): Promise<PoolCheck> {
  const isShown = process.stderr.isTTY === true
  let now = begun
  for (let pause = 20; isOpen(now) && Date.now() < deadline; pause = Math.min(pause * 2, 500)) {
    await sleep(Math.min(pause, Math.max(deadline - Date.now(), 1)))
    now = await client.json<PoolCheck>('GET', `/v2/pools/${pool.id}/checks/${begun.id}`)
    const zones = now.zones_checked === 0 ? '' : `, ${count(now.zones_checked, 'zone')}`
    if (isShown) process.stderr.write(`\r\x1b[K${shown(pool.name)}: ${now.status.toLowerCase()}${zones}`)
  }
  if (isShown) process.stderr.write('\r\x1b[K')
  return now
}

const isOpen = ({ status }: PoolCheck): boolean => status === 'PENDING' || status === 'RUNNING'

function lateText({ name, id }: PoolView, { id: checkId, status }: PoolCheck, seconds: number, url: string): string {
  const why =
    status === 'PENDING' ? 'no process that delivers this pool took it up' : 'its servers have not all answered'
  const later = `${url}/v2/pools/${id}/checks/${checkId}`
  return `pool ${shown(name)}: no result within ${count(seconds, 'second')}: ${why}; it goes on, see ${later}, or give it longer with --timeout`
}

const signs = { ok: 'ok      ', warning: 'warning ', error: 'error   ' } as const

/** What was found of a pool, server by server, as a person reads it. */
export function checkText(name: string, { findings, status, zones_checked }: PoolCheck, depth: Depth): string {
  const servers = Map.groupBy(findings, ({ server }) => server)
  const lines = [`pool ${shown(name)}`]
  for (const [server, found] of servers) {
    lines.push(`  ${shown(server)}`, ...found.flatMap(findingLines))
  }
  if (isDone(status)) lines.push(`  ${sumText(findings, servers.size, depth === 'reach' ? undefined : zones_checked)}`)
  return `${lines.join('\n')}\n`
}

const isDone = (status: PoolCheck['status']): boolean => status === 'COMPLETE' || status === 'ERROR'

function findingLines({ level, zone, what, mend }: CheckFinding): string[] {
  const about = zone === null ? '' : `${shown(zone)} `
  const first = `    ${signs[level]}${about}${lineByLine(what).join(`\n            `)}`
  return mend === null ? [first] : [first, `            mend: ${lineByLine(mend).join('\n                  ')}`]
}

/** Text of several lines, each safe to print. */
const lineByLine = (text: string): string[] => text.trimEnd().split('\n').map(printable)

const printable = (line: string): string => line.replaceAll('\t', '  ').replaceAll(/\p{Cc}/gu, '\ufffd')

function sumText(findings: readonly CheckFinding[], servers: number, zones: number | undefined): string {
  const errors = findings.filter(({ level }) => level === 'error').length
  const warnings = findings.filter(({ level }) => level === 'warning').length
  // An audit tells of servers only what is wrong with them, so that how many there are is not known here.
  const asked = zones === undefined ? count(servers, 'server') : count(zones, 'zone')
  if (errors + warnings === 0) return `${asked}: all is well.`
  return `${asked}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.`
}
