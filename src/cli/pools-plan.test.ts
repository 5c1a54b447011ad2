import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from '../errors.ts'
import { readPools } from './pools-file.ts'
import { inOrder, matchPools, planPool, planRemovals, planText } from './pools-plan.ts'
import type { PoolState, PoolView, TargetView } from './pools-state.ts'

const pool = (name: string, id = `00000000-0000-4000-8000-00000000000${name.length}`): PoolView => ({
  id,
  name,
  description: null,
  attributes: {},
  ns_records: [],
})

const target = (
  id: string,
  type: string,
  options: TargetView['options'],
  more: Partial<TargetView> = {},
): TargetView => ({
  id,
  type,
  description: null,
  tsigkey_id: null,
  masters: type === 'catalog' ? [] : [{ host: '192.0.2.1', port: 5354 }],
  options,
  secrets_set: type === 'pdns4' ? ['api_token'] : [],
  ...more,
})

const state = (more: Partial<PoolState>): PoolState => ({
  pool: pool('p'),
  targets: [],
  nameservers: [],
  also_notifies: [],
  delivery: { threshold_percentage: 100, grace_seconds: 300, catalog_zone: null },
  catalogKey: undefined,
  ...more,
})

function plan(yaml: string, present: PoolState | undefined, sendSecrets = false) {
  const { pools, faults } = readPools(yaml, 'f')
  deepEqual(faults, [])
  const found: Fault[] = []
  const plans = pools.map((one) => planPool(one, present, sendSecrets, found))
  return { text: planText(plans), changes: inOrder(plans), faults: found }
}

const masters = 'masters: [{host: 192.0.2.1, port: 5354}]'

test('[W22] a target is known again by its server, also when its options change', () => {
  const present = state({
    targets: [
      target('a', 'bind9', { host: '192.0.2.2', rndc_host: '192.0.2.2' }),
      target('b', 'bind9', { host: '192.0.2.3', rndc_host: '192.0.2.3' }),
      target('c', 'bind9', { host: '192.0.2.3', rndc_host: '192.0.2.3', view: 'inside' }),
    ],
  })
  const { changes } = plan(
    `- name: p
  targets:
    - {type: bind9, ${masters}, options: {host: 192.0.2.3, rndc_host: 192.0.2.3, view: inside, clean_zonefile: true}}
    - {type: bind9, ${masters}, options: {host: 192.0.2.3, rndc_host: 192.0.2.3, rndc_key_file: /k}}
    - {type: bind9, ${masters}, options: {host: 192.0.2.22, rndc_host: 192.0.2.2}}
`,
    present,
  )
  deepEqual(
    changes.map(({ method, path, body }) => [method, path.at(-1), (body as { options: object }).options]),
    [
      ['PATCH', 'c', { host: '192.0.2.3', rndc_host: '192.0.2.3', view: 'inside', clean_zonefile: true }],
      ['PATCH', 'b', { host: '192.0.2.3', rndc_host: '192.0.2.3', rndc_key_file: '/k' }],
      ['PATCH', 'a', { host: '192.0.2.22', rndc_host: '192.0.2.2' }],
    ],
  )
})

test('[W22] another server and another type are another target; options that say the default say nothing new', () => {
  const present = state({ targets: [target('a', 'catalog', { host: '192.0.2.2' }), target('b', 'catalog', {})] })
  const { text, changes } = plan(
    '- {name: p, targets: [{type: catalog, options: {host: 127.0.0.1, port: 53}}, {type: catalog, options: {host: 192.0.2.9}}]}',
    present,
  )
  deepEqual(
    changes.map(({ method, path }) => `${method} ${path}`),
    ['POST /v2/pools/{pool_id}/targets', 'DELETE /v2/pools/{pool_id}/targets/a'],
  )
  match(text, /\+ target catalog 192\.0\.2\.9:53\n {2}- target catalog 192\.0\.2\.2:53/)
  match(text, /note: what catalog 192\.0\.2\.2:53 holds stays on that server/)
})

const pdns = `{type: pdns4, ${masters}, options: {api_endpoint: 'http://192.0.2.2:8081', api_token: sesame}}`

test('[W26] a secret is sent where none is set, or with --secrets, and never printed', () => {
  const options = { api_endpoint: 'http://192.0.2.2:8081' }
  const yaml = `- {name: p, targets: [${pdns}]}`
  const fresh = plan(yaml, state({}))
  match(fresh.text, /api_token: \(secret\) set/)
  deepEqual((fresh.changes[0]!.body as { options: object }).options, { ...options, api_token: 'sesame' })
  const set = plan(yaml, state({ targets: [target('a', 'pdns4', options)] }))
  match(
    set.text,
    /^note: api_token of pdns4 127\.0\.0\.1:53 is set already.*--secrets sends it again\nNothing to change\.\n$/,
  )
  const again = plan(yaml, state({ targets: [target('a', 'pdns4', options)] }), true)
  deepEqual(again.changes[0]!.body, { options: { ...options, api_token: 'sesame' } })
  for (const { text } of [fresh, set, again]) doesNotMatch(text, /sesame/)
})

test('[W26] a required secret must be in the file or set; null takes away one that is not required', () => {
  const without = `- {name: p, targets: [${pdns.replace(', api_token: sesame', '')}]}`
  const { faults } = plan(without, state({}))
  deepEqual(
    faults.map(({ path }) => path.join('.')),
    ['0.targets.0.options.api_token'],
  )
  const options = { api_endpoint: 'http://192.0.2.2:8081' }
  equal(plan(without, state({ targets: [target('a', 'pdns4', options)] })).changes.length, 0)
  const bind = `- {name: p, targets: [{type: bind9, ${masters}, options: {rndc_key_secret: }}]}`
  equal(plan(bind, state({ targets: [target('a', 'bind9', {})] })).changes.length, 0)
  const taken = plan(bind, state({ targets: [target('a', 'bind9', {}, { secrets_set: ['rndc_key_secret'] })] }))
  deepEqual(taken.changes[0]!.body, { options: { rndc_key_secret: null } })
})

test('[W26] the key of a catalog zone is compared, and not printed', () => {
  const yaml =
    '- {name: p, catalog_zone: {catalog_zone_fqdn: c.example., catalog_zone_tsig_key: c2VzYW1l, catalog_zone_tsig_algorithm: hmac-sha512}}'
  const delivery = {
    threshold_percentage: 100,
    grace_seconds: 300,
    catalog_zone: { catalog_zone_fqdn: 'c.example.', catalog_zone_refresh: null },
  }
  const key = { id: 'k', algorithm: 'hmac-sha512', secret: 'c2VzYW1l' }
  equal(plan(yaml, state({ delivery, catalogKey: key })).changes.length, 0)
  const other = plan(yaml, state({ delivery, catalogKey: { ...key, secret: 'b3RoZXI=' } }))
  match(other.text, /~ catalog_zone_tsig_key: \(secret\) set/)
  doesNotMatch(other.text, /c2VzYW1l|b3RoZXI/)
  equal(other.changes.length, 1)
})

test('[W23] what is new is sent before what goes, over all pools; name servers go before targets, pools last', () => {
  const present = state({
    targets: [target('t', 'catalog', { host: '192.0.2.1' })],
    nameservers: [{ id: 'n', host: '192.0.2.1', port: 53, tsigkey_id: null }],
    also_notifies: [{ id: 'x', host: '192.0.2.1', port: 53 }],
  })
  const { pools } = readPools(
    `- name: p
  ns_records: [{hostname: ns.example.org., priority: 1}]
  targets: []
  nameservers: [{host: 192.0.2.2}]
  also_notifies: []
  threshold_percentage: 50
- name: new
  targets: [{type: catalog, options: {host: 192.0.2.1}}]
`,
    'f',
  )
  const [p, q] = pools
  const removals = planRemovals([pool('old')], [])
  const plans = [...removals, planPool(p!, present, false, []), planPool(q!, undefined, false, [])]
  deepEqual(
    inOrder(plans).map(({ says }) => says),
    [
      'create pool new',
      'add target catalog 192.0.2.1:53',
      'change threshold_percentage of pool p',
      'add nameserver 192.0.2.2:53',
      'change ns_records of pool p',
      'remove nameserver 192.0.2.1:53',
      'remove also_notify 192.0.2.1:53',
      'remove target catalog 192.0.2.1:53',
      'delete pool old',
    ],
  )
})

test('[W20] a pool is found by its id, else by its name; one pool is not two, and takes no name of another', () => {
  const [one, other] = [
    pool('one', '00000000-0000-4000-8000-000000000001'),
    pool('other', '00000000-0000-4000-8000-000000000002'),
  ]
  const read = (yaml: string) => {
    const faults: Fault[] = []
    const pairs = matchPools(readPools(yaml, 'f').pools, [one, other], faults)
    return { found: pairs.map(({ present }) => present?.name), faults: faults.map(({ message }) => message) }
  }
  deepEqual(read(`- {id: ${one.id}, name: renamed}\n- {name: other}\n- {name: third}`), {
    found: ['one', 'other', undefined],
    faults: [],
  })
  deepEqual(read('- {id: 00000000-0000-4000-8000-000000000009, name: one}').found, ['one'])
  match(read(`- {id: ${one.id}, name: renamed}\n- {name: one}`).faults.join(), /is the same pool as pools\[0\]/)
  match(read(`- {id: ${one.id}, name: other}`).faults.join(), new RegExp(`is the name of another pool, ${other.id}`))
})

test('[W21] what a plan shows of a file cannot write to the terminal', () => {
  const { text } = plan('- {name: p, description: "a\\e[2Jb\\u202ec"}', state({}))
  match(text, /~ description: \(none\) → "a\\u001b\[2Jb\\u202ec"/)
})

test('[W27] the default pool is never among those that are deleted', () => {
  const kept = { ...pool('default'), id: '794ccc2c-d751-44fe-b57f-8894c9f5c842' }
  deepEqual(
    planRemovals([kept, pool('old')], []).map(({ title }) => title),
    [`- pool old (${pool('old').id})`],
  )
})
