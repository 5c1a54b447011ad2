import { deepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { systemClock } from '../src/clock.ts'
import { networkService } from '../src/resources/reverse-names/sources/openstack.ts'
import { sqliteStore } from './support/api.ts'
import { startNetworkService } from './support/network-service.ts'
import { type Difference, goldens, replay } from './support/replay.ts'
import { startZonesApi } from './support/zones-api.ts'

/** Where we knowingly differ from a running Designate: the rule in docs/divergences.md, the captures, the differences. */
const divergences: Readonly<Record<string, { readonly at: RegExp; readonly what: RegExp }>> = {
  D6: {
    at: /^(655|660)/,
    what: /^body keys: \["code","message","request_id","type"\] → \["code","errors","message","request_id","type"\]$/,
  },
}

const ruleFor = ({ capture, what }: Difference) =>
  Object.keys(divergences).find((rule) => divergences[rule]!.at.test(capture) && divergences[rule]!.what.test(what))

test('the captured floating IPs are answered as Designate does, but for what is written down', async () => {
  const network = await startNetworkService()
  for (const n of [1, 2]) {
    network.floatingips.push({
      id: `7d5d6b5e-0f8a-4f2e-9a55-3b1b3f0a1c0${n}`,
      floating_ip_address: `203.0.113.${9 + n}`,
      project_id: 'noauth-project',
    })
  }
  const identity = {
    url: network.url,
    credentials: { username: 'dns', password: 'right', project: 'service', domain: 'Default' },
  }
  const addressSource = networkService({ url: network.url, region: 'RegionOne', identity, clock: systemClock })
  const api = await startZonesApi(sqliteStore, { addressSource })
  try {
    const differences = await replay(api, goldens('reverse'))
    deepEqual(
      differences.filter((difference) => ruleFor(difference) === undefined),
      [],
    )
    deepEqual([...new Set(differences.map(ruleFor))], Object.keys(divergences))
    const text = readFileSync(new URL('../docs/divergences.md', import.meta.url), 'utf8')
    for (const rule of Object.keys(divergences)) ok(text.includes(`**[${rule}]**`), rule)
  } finally {
    await api.close()
    await network.close()
  }
})
