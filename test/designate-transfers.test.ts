import { deepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { beat } from '../src/resources/service-statuses/store.ts'
import { sqliteStore } from './support/api.ts'
import { type Difference, type Exchange, goldens, replay } from './support/replay.ts'
import { startZonesApi, type ZonesApi } from './support/zones-api.ts'

/** Where we knowingly differ from a running Designate: the rule in docs/divergences.md, the captures, the differences. */
const divergences: Readonly<Record<string, { readonly at: RegExp; readonly what: RegExp }>> = {
  D6: {
    at: /^(584|585|595|597)/,
    what: /^body keys: \["code",("errors"|"message"),"request_id","type"\] → \["code","errors","message","request_id","type"\]$/,
  },
  D7: {
    at: /^(587|598|647)/,
    what: /^body keys: \["code","request_id","type"\] → \["code","message","request_id","type"\]$/,
  },
  D40: {
    at: /^581/,
    what: /^(status|body\.code): 404 → 405$|^body\.type: "not_found" → "method_not_allowed"$/,
  },
  D41: {
    at: /^(576|582|642)/,
    what: /^body keys: \["code","request_id","type"\] → \["code","message","request_id","type"\]$/,
  },
  D42: { at: /^605/, what: /^body\.version: 3 → 2$/ },
  D43: { at: /^605/, what: /^body\.shared: absent → false$/ },
  D44: { at: /^571/, what: /^body\.links\.self: ".*\/openstackNone" → ".*\/openstack\/v2\/service_status"$/ },
}

const ruleFor = ({ capture, what }: Difference) =>
  Object.keys(divergences).find((rule) => divergences[rule]!.at.test(capture) && divergences[rule]!.what.test(what))

const used = new Set<string>()

/** Runs on a service of its own and expects only the differences that are written down. */
async function mustAnswerAlike(play: (api: ZonesApi) => Promise<Difference[]>): Promise<void> {
  const api = await startZonesApi(sqliteStore)
  try {
    const unknown = []
    for (const difference of await play(api)) {
      const rule = ruleFor(difference)
      if (rule === undefined) unknown.push(difference)
      else used.add(rule)
    }
    deepEqual(unknown, [])
  } finally {
    await api.close()
  }
}

/** Exchanges about things that are there already: their ids, and ours. */
const withIds = (exchanges: readonly Exchange[], ids: ReadonlyMap<string, string>): Exchange[] => {
  let text = JSON.stringify(exchanges)
  for (const [theirs, ours] of ids) text = text.replaceAll(theirs, ours)
  return JSON.parse(text) as Exchange[]
}

const isChance = ({ what }: Difference) => /^body\.(key: "[A-Z0-9]{8}" → "[A-Z0-9]{8}"|serial: \d+ → \d+)$/.test(what)

test('the captured transfers of zones and tasks are answered as Designate does, but for what is written down', () =>
  mustAnswerAlike(async (api) => {
    const secondary = { type: 'SECONDARY', masters: ['192.0.2.1'], email: undefined }
    const zones = [
      ['72357c82-f3c7-4872-8ba1-e842b457dd72', await api.newZone('cap-example.org.')],
      ['46b1fc1d-d187-44a8-b00b-3bfee0324155', await api.newZone('cap-two.org.', { email: 'host@example.org' })],
      ['007d2041-caf1-4788-8aa2-6f2742162fff', await api.newZone('cap-import.org.')],
      ['c4a1c020-a6d3-4b63-9b42-ac4cd904986c', await api.newZone('cap-sec.org.', secondary)],
    ] as const
    await api.publish()
    const ids = new Map<string, string>(zones.map(([theirs, { id }]) => [theirs, id]))
    const exchanges = goldens('transfers')
    const first = await replay(api, withIds(exchanges.slice(0, 2), ids))
    const [offer] = (await api.list('/v2/zones/tasks/transfer_requests')).body.transfer_requests!
    const { id, key } = exchanges[1]!.response.body as { id: string; key: string }
    ids.set(id, offer!.id).set(key, String(offer!.key))
    const rest = await replay(api, withIds(exchanges.slice(2), ids))
    return [...first, ...rest].filter((difference) => !isChance(difference))
  }))

test('the captured service statuses are answered as Designate does, but for what is written down', () =>
  mustAnswerAlike(async (api) => {
    for (const role of ['central', 'producer', 'api', 'mdns', 'worker'] as const) {
      for (const _ of ['first', 'second']) {
        await api.db.write((tx) => beat(tx, { hostname: 'vm', instance: '' }, [role], new Date()))
      }
    }
    const ours = (await api.list('/v2/service_statuses')).body.service_statuses!
    const exchanges = goldens('service-statuses')
    const theirs = (exchanges[0]!.response.body as Record<string, { id: string }[]>).service_statuses!
    return replay(api, withIds(exchanges, new Map(theirs.map(({ id }, i) => [id, ours[i]!.id]))))
  }))

test('the captured admin API is answered as Designate does, but for what is written down', () =>
  mustAnswerAlike(async (api) => {
    const quotas = { api_export_size: 1000, zones: 1_000_000, zone_records: 500, zone_recordsets: 500 }
    await api.patch('/v2/quotas/noauth-project', { ...quotas, recordset_records: 20 })
    return replay(api, goldens('admin'))
  }))

test('every divergence in transfers, statuses and admin API is written down with its reason, and none is out of date', () => {
  deepEqual([...used].toSorted(), Object.keys(divergences).toSorted())
  const text = readFileSync(new URL('../docs/divergences.md', import.meta.url), 'utf8')
  for (const rule of Object.keys(divergences)) ok(text.includes(`**[${rule}]**`), rule)
})
