import { deepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { defaultPoolId } from '../src/resources/pools/fields.ts'
import { sqliteStore } from './support/api.ts'
import { ended, type ImportsApi, startImportsApi } from './support/imports-api.ts'
import { type Difference, type Exchange, goldens, replay } from './support/replay.ts'
import type { ShownSet } from './support/zones-api.ts'

const ours = '(mode|dry_run|progress|fault_count|faults|difference)'

/** Where we knowingly differ from a running Designate: the rule in docs/divergences.md, the captures, the differences. */
const divergences: Readonly<Record<string, { readonly at: RegExp; readonly what: RegExp }>> = {
  D7: { at: /^635/, what: /^body keys: \["code","request_id","type"\] → \["code","message","request_id","type"\]$/ },
  D9: { at: /^625/, what: /^body\.recordsets: other order$/ },
  D10: { at: /^624/, what: /^body\.shared: absent → false$/ },
  D11: { at: /^624/, what: /^body\.(version: 2 → 1|updated_at: \(time\) → null)$/ },
  D13: { at: /^(625|630)/, what: /^body(\.recordsets\[\]\.records)?: .* 3562 .* → .* 3[56]\d\d / },
  D17: { at: /^611/, what: /^body\.links\.next: .* → absent$/ },
  D20: { at: /^629/, what: /^body(\.type| keys): / },
  D60: {
    at: /^6(0[89]|1\d|2[03])/,
    what: new RegExp(`^body(\\.imports\\[\\])?\\.(links\\.faults|${ours}): absent → `),
  },
  D61: { at: /^619/, what: /^body\.message: "Malformed zonefile\." → "Malformed zonefile\. line 2, column 1: / },
  D62: { at: /^630/, what: /^header Content-Type: "text\/dns; charset=UTF-8" → "text\/dns"$/ },
}

const ruleFor = ({ capture, what }: Difference) =>
  Object.keys(divergences).find((rule) => divergences[rule]!.at.test(capture) && divergences[rule]!.what.test(what))

/** The service as it was captured: its pool, and an import has ended before it is asked for. */
async function asCaptured(api: ImportsApi): Promise<ImportsApi> {
  await api.patch(`/openstack/v2/pools/${defaultPoolId}`, {
    ns_records: [{ hostname: 'ns1.example.org.', priority: 1 }],
  })
  return {
    ...api,
    async call<T>(...[method, path, options]: Parameters<typeof api.call>) {
      const answer = await api.call<T>(method, path, options)
      if (method === 'POST' && answer.status === 202 && path.endsWith('/imports')) {
        await ended(api, (answer.body as { id: string }).id)
        await api.publish()
      }
      return answer
    },
  }
}

/** What the first import made: their ids, and ours. */
async function idsOfFirst(api: ImportsApi, exchanges: readonly Exchange[]): Promise<Map<string, string>> {
  const body = (capture: string) => exchanges.find((one) => one.capture.startsWith(capture))!.response.body as never
  const [made] = (await api.list('/v2/zones/tasks/imports')).body.imports!
  const { id, zone_id } = body('609') as { id: string; zone_id: string }
  const ids = new Map([
    [id, made!.id],
    [zone_id, String(made!.zone_id)],
  ])
  const sets = (await api.list(`/v2/zones/${made!.zone_id}/recordsets`)).body.recordsets as unknown as ShownSet[]
  for (const theirs of (body('625') as { recordsets: ShownSet[] }).recordsets) {
    const same = sets.find(({ name, type }) => name === theirs.name && type === theirs.type)
    if (same !== undefined) ids.set(theirs.id, same.id)
  }
  return ids
}

test('the captured imports and exports are answered as Designate does, but for what is written down', async () => {
  const api = await startImportsApi(sqliteStore)
  try {
    const played = await asCaptured(api)
    const exchanges = goldens('imports')
    const first = await replay(played, exchanges.slice(0, 1))
    let text = JSON.stringify(exchanges.slice(1))
    for (const [theirs, ours] of await idsOfFirst(api, exchanges)) text = text.replaceAll(theirs, ours)
    const rest = await replay(played, JSON.parse(text) as Exchange[])
    const used = new Set<string>()
    const unknown: Difference[] = []
    for (const difference of [...first, ...rest]) {
      const rule = ruleFor(difference)
      if (rule === undefined) unknown.push(difference)
      else used.add(rule)
    }
    deepEqual(unknown, [])
    deepEqual([...used].toSorted(), Object.keys(divergences).toSorted())
    const written = readFileSync(new URL('../docs/divergences.md', import.meta.url), 'utf8')
    for (const rule of used) ok(written.includes(`**[${rule}]**`), rule)
  } finally {
    await api.close()
  }
})
