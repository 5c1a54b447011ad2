import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Fault } from '../errors.ts'
import { Trouble } from '../trouble.ts'
import { isAgreed, mustHavePerson } from './ask.ts'
import { type Client, Refusal } from './client.ts'
import type { Command } from './command.ts'
import type { Change } from './pools-change.ts'
import { type PoolsFile, readPools, type WantedPool } from './pools-file.ts'
import { inOrder, matchPools, type PoolPlan, planPool, planRemovals, planText } from './pools-plan.ts'
import { wrong } from './pools-read.ts'
import { allPools, keyScope, openPools, stateOf } from './pools-state.ts'
import { count } from './pools-words.ts'
import { readWords } from './words.ts'

/** `nameplane pools apply` */
export const apply: Command = {
  summary: 'Make the pools of the service those of a pools.yaml.',
  usage: 'nameplane pools apply [--yes] [--dry-run] [--delete] [--secrets] [--url URL] FILE',
  help: `A pool is a set of DNS servers that answer for the zones placed in it. FILE says which pools there are and which
servers they have: Designate's own pools.yaml is taken as it is, and so is what nameplane pools export writes. A FILE of
- is the standard input. It is a YAML list such as this:

  - name: default
    ns_records:                       # what the zones of the pool name as their name servers
      - {hostname: ns1.example.org., priority: 1}
    targets:                          # the servers that zones are delivered to
      - type: bind9                   # or catalog, knot, nsd4, pdns4
        masters: [{host: 192.0.2.1, port: 5354}]    # where they take zones from: the DNS address of Nameplane
        options: {host: 192.0.2.2, port: 53, rndc_host: 192.0.2.2, rndc_key_file: /etc/bind/rndc.key}
    nameservers:                      # the servers that are asked whether they serve a change; else the targets are
      - {host: 192.0.2.2, port: 53}
    also_notifies: []                 # servers that are told of changes and not asked
    catalog_zone: null                # or {catalog_zone_fqdn: catalog.example.}
    threshold_percentage: 100         # how many of the servers must have a change before it counts as served
    grace_seconds: 300                # how long they may take before a zone is in error

A pool is found by its id, else by its name, and made where there is none. What a pool of the file does not speak of stays
as it is; a list that is there is the whole list. What would change is shown first, and done after you say yes. Applying
the same file again changes nothing.

--yes       Do it without asking.
--dry-run   Only show what would change.
--delete    Delete the pools that FILE does not have; never the default pool, nor one that holds zones.
--secrets   Send the secrets of FILE (api_token, rndc_key_secret) also where one is set. They can be written and never
            read, so a changed one goes unnoticed without this.
--url       The service; else NAMEPLANE_URL, else http://127.0.0.1:9001. NAMEPLANE_TOKEN and NAMEPLANE_PROJECT say who asks.

Ends with 0 when the pools are as FILE says, 1 when something is wrong, 2 when nobody was there to say yes.`,
  async run(args) {
    const { words, flags, switches } = readWords(args, ['url'], ['yes', 'dry-run', 'delete', 'secrets'])
    const [path, ...more] = words
    if (path === undefined || more.length > 0) {
      throw new Trouble('pools apply needs one file, such as pools.yaml; see nameplane help pools apply', 2)
    }
    const file = readPools(await readText(path), path === '-' ? 'standard input' : path)
    mustBeRight(file, file.faults)
    const client = openPools(flags.url)
    const plans = await planFile(client, file, { remove: switches.has('delete'), secrets: switches.has('secrets') })
    process.stdout.write(planText(plans))
    const changes = inOrder(plans)
    if (changes.length === 0) return 0
    if (switches.has('dry-run')) {
      process.stdout.write('Nothing was changed: this was a dry run.\n')
      return 0
    }
    if (!switches.has('yes')) {
      mustHavePerson()
      if (!(await isAgreed('Do it?', process.stdin, process.stdout))) {
        process.stdout.write('Nothing was changed.\n')
        return 1
      }
    }
    await send(client, changes)
    process.stdout.write(`${count(changes.length, 'change')} made.\n`)
    return 0
  },
}

async function readText(path: string): Promise<string> {
  try {
    return await (path === '-' ? text(process.stdin) : readFile(path, 'utf8'))
  } catch (error) {
    throw new Trouble(`cannot read ${path}: ${(error as Error).message}`)
  }
}

function mustBeRight(file: PoolsFile, faults: readonly Fault[]): void {
  if (faults.length > 0) throw new Trouble([...file.tell(faults), 'Nothing was changed.'].join('\n'))
}

/** Compares the file with the service; all that is wrong is told before anything is sent. */
export async function planFile(
  client: Client,
  file: PoolsFile,
  { remove, secrets }: { readonly remove: boolean; readonly secrets: boolean },
): Promise<PoolPlan[]> {
  const faults: Fault[] = []
  const pools = await allPools(client)
  const pairs = matchPools(file.pools, pools, faults)
  const plans: PoolPlan[] = []
  for (const { wanted, present } of pairs) {
    plans.push(planPool(wanted, present && (await stateOf(client, present)), secrets, faults))
  }
  if (remove) plans.push(...planRemovals(pools, pairs))
  await mustHaveKeys(client, file.pools, faults)
  mustBeRight(file, faults)
  return plans
}

async function mustHaveKeys(client: Client, pools: readonly WantedPool[], faults: Fault[]): Promise<void> {
  const scopes = new Map<string, string | undefined>()
  for (const { tsigkey_id: id, path } of pools.flatMap(({ targets = [], nameservers = [] }) => [
    ...targets,
    ...nameservers,
  ])) {
    if (id === null) continue
    if (!scopes.has(id)) scopes.set(id, await keyScope(client, id))
    const scope = scopes.get(id)
    if (scope === 'POOL') continue
    const reason = scope === undefined ? `there is no TSIG key ${id}` : `the TSIG key ${id} has the scope ${scope}`
    wrong(faults, [...path, 'tsigkey_id'], `${reason}; make one with scope POOL first`)
  }
}

/** Sends the requests one by one; the first that is refused ends it. */
export async function send(client: Client, changes: readonly Change[]): Promise<void> {
  const made = new Map<string, string>()
  for (const [done, { method, path, body, pool, pool_id, says, stage }] of changes.entries()) {
    try {
      const place = path.replace('{pool_id}', pool_id ?? made.get(pool) ?? '')
      const answer = await client.json<{ id: string } | undefined>(method, place, body)
      if (stage === 'pool') made.set(pool, answer!.id)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new Trouble(
        `could not ${says}: ${error.message}\n${done} of ${count(changes.length, 'change')} were made; ` +
          'mend this and run it again: what is done is not done twice',
      )
    }
  }
}
