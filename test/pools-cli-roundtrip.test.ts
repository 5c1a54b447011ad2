import { deepEqual, equal } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { type Client, openClient } from '../src/cli/client.ts'
import { planFile, send } from '../src/cli/pools-apply.ts'
import { poolsText } from '../src/cli/pools-export.ts'
import { readPools } from '../src/cli/pools-file.ts'
import { inOrder } from '../src/cli/pools-plan.ts'
import { allPools, stateOf } from '../src/cli/pools-state.ts'
import { type TargetOption, targetKinds } from '../src/target-kinds.ts'
import { type Api, sqliteStore, startTestApi } from './support/api.ts'

let api: Api
let client: Client
before(async () => {
  api = await startTestApi(sqliteStore)
  client = openClient(api.url, {}, { 'X-Auth-All-Projects': 'true' })
})
after(() => api.close())

/** Text that YAML 1.1 or 1.2 may take for something else. */
const trap = fc.constantFrom(
  'yes',
  'no',
  'null',
  '~',
  '1e3',
  '0x10',
  '012',
  '1:20',
  '- a',
  '# a',
  'a: b',
  ' a ',
  "'",
  '"',
  '2001-01-01',
  '<<',
  '=',
  '.inf',
  '*a',
  '&a',
  '!a',
  '{}',
  '[',
  '%',
  '@',
)
const plain = fc.stringMatching(/^[\x20-\x7eäß→]{1,40}$/)
const line = fc.oneof(plain, trap)
const host = fc.oneof(
  fc.ipV4(),
  fc.ipV6().filter((text) => !text.includes('.')),
  fc.stringMatching(/^[a-z][a-z0-9-]{0,10}[a-z0-9]\.example$/),
)
const port = fc.integer({ min: 1, max: 65_535 })
const address = fc.record({ host, port })
const hosts = fc.uniqueArray(address, { maxLength: 4, selector: ({ host: name, port: at }) => `${name} ${at}` })

function option(name: string, { type, secret }: TargetOption): fc.Arbitrary<unknown> {
  if (name.endsWith('host')) return host
  if (name.endsWith('endpoint')) return fc.constantFrom('http://192.0.2.9:8081', 'https://pdns.example/')
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return name.endsWith('port') ? port : fc.integer({ min: 1, max: 600 })
  return secret ? fc.stringMatching(/^[A-Za-z0-9]{4,20}$/) : line
}

const target = fc.constantFrom(...(Object.keys(targetKinds) as (keyof typeof targetKinds)[])).chain((type) => {
  const table: Readonly<Record<string, TargetOption>> = targetKinds[type].options
  const options = Object.fromEntries(Object.entries(table).map(([name, about]) => [name, option(name, about)]))
  const required = Object.keys(table).filter((name) => table[name]!.required)
  return fc.record({
    type: fc.constant(type),
    description: fc.option(line),
    masters: fc.array(address, { minLength: 1, maxLength: 3 }),
    options: fc.record(options, { requiredKeys: required }),
  })
})

let made = 0
const pool = fc.record({
  name: fc.oneof(fc.constant('default'), fc.stringMatching(/^[A-Za-z][ -~]{0,20}$/)),
  description: fc.option(line),
  attributes: fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    line.map((text) => text.slice(0, 50)),
    { maxKeys: 3 },
  ),
  ns_records: fc
    .uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 3 })
    .map((numbers) => numbers.map((n) => ({ hostname: `ns${n}.example.org.`, priority: n }))),
  nameservers: hosts,
  targets: fc.array(target, { maxLength: 4 }),
  also_notifies: hosts,
  threshold_percentage: fc.integer({ min: 1, max: 100 }),
  grace_seconds: fc.integer({ min: 0, max: 604_800 }),
  catalog_zone: fc.option(
    fc.record({ catalog_zone_refresh: fc.option(fc.integer({ min: 1, max: 86_400 })) }).map((rest) => ({
      catalog_zone_fqdn: `c${made++}.catalog.example.`,
      ...rest,
    })),
  ),
})

const planOf = async (text: string) => {
  const file = readPools(text, 'pools.yaml')
  deepEqual(file.tell(file.faults), [], text)
  return inOrder(await planFile(client, file, { remove: true, secrets: false }))
}

async function exported(): Promise<string> {
  const states = []
  for (const one of await allPools(client)) states.push(await stateOf(client, one))
  return poolsText(states)
}

test('[W28] what is applied is there, and what is exported is taken back without a change', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(pool, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
      async (pools) => {
        const wanted = stringify(pools, { version: '1.1' })
        await send(client, await planOf(wanted))
        equal((await planOf(wanted)).length, 0, 'the second run has nothing to change')
        const text = await exported()
        deepEqual(await planOf(text), [], text)
        const names = (await allPools(client)).map(({ name }) => name).toSorted()
        deepEqual(names, [...new Set(['default', ...pools.map(({ name }) => name)])].toSorted())
      },
    ),
    { numRuns: 40, endOnFailure: true },
  )
})
