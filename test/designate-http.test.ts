import { deepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { defaultPoolId } from '../src/resources/pools/fields.ts'
import { type Api, sqliteStore, startTestApi } from './support/api.ts'
import { type Difference, goldens, replay } from './support/replay.ts'

/** Where we knowingly differ from a running Designate: the rule in docs/divergences.md, the captures, the differences. */
const divergences: Readonly<Record<string, { readonly at: RegExp; readonly what: RegExp }>> = {
  D1: { at: /^001/, what: /^body\.versions(: other rows|\[\]\.status: "CURRENT" → "SUPPORTED")$/ },
  D2: {
    at: /^(005|007|010)/,
    what: /^header Content-Type: "text\/html.* → "application\/json"$|^body: "\(HTML\)" → "\(JSON\)"$/,
  },
  D3: { at: /^010/, what: /^header Allow: "OPTIONS, GET, HEAD" → "GET"$/ },
  D4: { at: /^(485|486|490|491|529)/, what: /^body(\.pools\[\])?\.created_at: null → \(time\)$/ },
  D5: {
    at: /^496/,
    what: /^status: 500 → 200$|^body\.(code|type|request_id): .* → absent$|^body\.(pools|links): absent → /,
  },
  D6: {
    at: /^(50[4-6]|51[1-9]|52[0-4]|54[3-9]|67[2-7])/,
    what: /^body keys: \["code",("errors"|"message"),"request_id","type"\] → \["code","errors","message","request_id","type"\]$/,
  },
  D7: { at: /^523/, what: /^body keys: \["code","request_id","type"\] → \["code","message","request_id","type"\]$/ },
  D8: {
    at: /^518/,
    what: /^message \(Duplicate\): "Duplicate PoolNsRecord" → "Duplicate PoolNsRecord: x\.org\. is listed/,
  },
  D9: { at: /^(491|529|683)/, what: /^body\.(pools|tlds): other (order|rows)$|^body\.links\.next: .*marker=/ },
}

const ruleFor = ({ capture, what }: Difference) =>
  Object.keys(divergences).find((rule) => divergences[rule]!.at.test(capture) && divergences[rule]!.what.test(what))

/** The default pool as the captured service had it. */
const asCaptured = (api: Api) =>
  api.patch(`/openstack/v2/pools/${defaultPoolId}`, {
    description: 'Default BIND9 Pool',
    ns_records: [{ hostname: 'ns1.example.org.', priority: 1 }],
  })

const used = new Set<string>()

for (const name of ['root', 'pools', 'blacklists', 'tlds']) {
  test(`the captured ${name} exchanges are answered as Designate does, but for what is written down`, async () => {
    const api = await startTestApi(sqliteStore)
    try {
      await asCaptured(api)
      const unknown = []
      for (const difference of await replay(api, goldens(name))) {
        const rule = ruleFor(difference)
        if (rule === undefined) unknown.push(difference)
        else used.add(rule)
      }
      deepEqual(unknown, [])
    } finally {
      await api.close()
    }
  })
}

test('every divergence is written down with its reason, and none is out of date', () => {
  deepEqual([...used].toSorted(), Object.keys(divergences).toSorted())
  const text = readFileSync(new URL('../docs/divergences.md', import.meta.url), 'utf8')
  for (const rule of Object.keys(divergences)) ok(text.includes(`**[${rule}]**`), rule)
})
