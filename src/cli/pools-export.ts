import { writeFileSync } from 'node:fs'
import { Document, isMap, isSeq } from 'yaml'
import { Trouble } from '../trouble.ts'
import type { Command } from './command.ts'
import type { HostPort } from './pools-read.ts'
import { namedPools, openPools, type PoolState, stateOf, type TargetView } from './pools-state.ts'
import { readWords } from './words.ts'

/** `nameplane pools export` */
export const exportPools: Command = {
  summary: 'Write the pools of the service as a pools.yaml.',
  usage: 'nameplane pools export [--file FILE] [--url URL] [POOL…]',
  help: `Writes the pools and the servers they have in the form that nameplane pools apply reads: to keep it beside other
configuration, to change it and apply it, or to make the same pools elsewhere. A POOL is the name or the id of a pool;
without one, all pools are written.

Secrets (api_token, rndc_key_secret, the key of a catalog zone) are not in it, since the service does not tell them; a
comment says where one is set. Applying the file leaves them as they are.

--file      Where to write it, readable by you alone; else it goes to the standard output.
--url       The service; else NAMEPLANE_URL, else http://127.0.0.1:9001. NAMEPLANE_TOKEN and NAMEPLANE_PROJECT say who asks.`,
  async run(args) {
    const { words, flags } = readWords(args, ['file', 'url'], [])
    const client = openPools(flags.url)
    const states: PoolState[] = []
    for (const pool of await namedPools(client, words)) states.push(await stateOf(client, pool))
    const text = poolsText(states)
    if (flags.file === undefined) process.stdout.write(text)
    else writeText(flags.file, text)
    return 0
  },
}

function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 })
  } catch (error) {
    throw new Trouble(`cannot write ${file}: ${(error as Error).message}`)
  }
}

/** Pools as a file that `nameplane pools apply` takes back without a change. */
export function poolsText(states: readonly PoolState[]): string {
  // Written so that readers of YAML 1.1, as Designate has, and of 1.2 understand the same.
  const document = new Document(states.map(poolValue), { version: '1.1' })
  document.commentBefore = ' The pools of Nameplane: nameplane pools apply reads this. Secrets are not in it.'
  for (const [i, { targets }] of states.entries()) {
    for (const [j, { secrets_set }] of targets.entries()) {
      const options = document.getIn([i, 'targets', j, 'options'])
      if (isMap(options) && secrets_set.length > 0) options.comment = ` set, and not shown: ${secrets_set.join(', ')}`
    }
  }
  if (isSeq(document.contents)) {
    for (const pool of document.contents.items.slice(1)) if (isMap(pool)) pool.spaceBefore = true
  }
  return document.toString({ lineWidth: 0, directives: false })
}

function poolValue({ pool, targets, nameservers, also_notifies, delivery }: PoolState): object {
  const { id, name, description, attributes, ns_records } = pool
  const { catalog_zone, threshold_percentage, grace_seconds } = delivery
  return {
    id,
    name,
    description,
    attributes: attributes ?? {},
    ns_records: ns_records.map(({ hostname, priority }) => ({ hostname, priority })),
    nameservers: nameservers.map((one) => ({ ...address(one), ...keyOf(one) })),
    targets: targets.map(targetValue),
    also_notifies: also_notifies.map(address),
    catalog_zone: catalog_zone && catalogValue(catalog_zone),
    threshold_percentage,
    grace_seconds,
  }
}

function targetValue(target: TargetView): object {
  const { type, description, masters, options } = target
  // Without it, host and port would be taken for the control channel, as Designate has them.
  const control = type === 'nsd4' && options.control_port === undefined ? { control_port: 8952 } : {}
  return { type, description, ...keyOf(target), masters: masters.map(address), options: { ...options, ...control } }
}

const address = ({ host, port }: HostPort): HostPort => ({ host, port })

const keyOf = ({ tsigkey_id }: { readonly tsigkey_id: string | null }): object =>
  tsigkey_id === null ? {} : { tsigkey_id }

function catalogValue({ catalog_zone_fqdn, catalog_zone_refresh }: NonNullable<PoolState['delivery']['catalog_zone']>) {
  return catalog_zone_refresh === null ? { catalog_zone_fqdn } : { catalog_zone_fqdn, catalog_zone_refresh }
}
