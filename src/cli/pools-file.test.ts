import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPools } from './pools-file.ts'

const told = (text: string) => {
  const file = readPools(text, 'pools.yaml')
  return file.tell(file.faults)
}

const designate = `---
- name: default
  description: Two kinds of server
  attributes:
    internal: yes
    tier: 3
  ns_records:
    - hostname: ns1.example.org.
      priority: '1'
  nameservers:
    - host: 192.0.2.2
      port: '53'
  targets:
    - type: bind9
      description: The first
      masters:
        - host: 192.0.2.1
          port: 5354
      options:
        host: 192.0.2.2
        port: '53'
        rndc_key_file: /etc/designate/rndc.key
        clean_zonefile: yes
        view:
  also_notifies:
    - host: 192.0.2.4
      port:
  catalog_zone:
    catalog_zone_fqdn: catalog.example.
    catalog_zone_refresh: '60'
`

test("[W20] Designate's file is read as it is: YAML 1.1, numbers in quotes, ports and options without a value", () => {
  const { pools, faults } = readPools(designate, 'pools.yaml')
  deepEqual(faults, [])
  const { path: _, targets, nameservers, ...rest } = pools[0]!
  deepEqual(rest, {
    id: undefined,
    name: 'default',
    description: 'Two kinds of server',
    attributes: { internal: 'true', tier: '3' },
    ns_records: [{ hostname: 'ns1.example.org.', priority: 1 }],
    also_notifies: [{ host: '192.0.2.4', port: 53 }],
    catalog_zone: {
      catalog_zone_fqdn: 'catalog.example.',
      catalog_zone_refresh: 60,
      catalog_zone_tsig_key: undefined,
      catalog_zone_tsig_algorithm: null,
    },
    threshold_percentage: undefined,
    grace_seconds: undefined,
  })
  deepEqual(
    nameservers!.map(({ host, port, tsigkey_id }) => ({ host, port, tsigkey_id })),
    [{ host: '192.0.2.2', port: 53, tsigkey_id: null }],
  )
  deepEqual(targets![0]!.masters, [{ host: '192.0.2.1', port: 5354 }])
  deepEqual(targets![0]!.options, {
    host: '192.0.2.2',
    port: 53,
    rndc_key_file: '/etc/designate/rndc.key',
    clean_zonefile: true,
  })
})

test('[W20] what a pool does not speak of is not wanted otherwise; what is written without a value is none', () => {
  const { pools } = readPools('- {name: a}\n- {name: b, targets: , description: , catalog_zone: }\n', 'pools.yaml')
  equal(pools[0]!.targets, undefined)
  equal(pools[0]!.catalog_zone, undefined)
  deepEqual(pools[1]!.targets, [])
  equal(pools[1]!.description, null)
  equal(pools[1]!.catalog_zone, null)
})

test('[W24] every fault of a file is told at once, with its line and its place', () => {
  const lines = told(`- name: default
  nameserver: []
  ns_records: [{hostname: ns1.example.org, priority: 1}]
  nameservers:
    - {host: 192.0.2.300, port: 53}
    - {host: ns.example.org, port: 0}
    - {host: 2001:db8::1, port: 53}
    - {host: "2001:DB8:0::1"}
  targets:
    - type: bind
      options: {}
    - type: bind9
      options: {rndc_port: 70000, clean_zonefile: perhaps, rndc_kee: x}
    - type: pdns4
      tsigkey_id: none
      masters: [{host: 192.0.2.1}]
      options: {api_token: 5}
  threshold_percentage: 0
- description: no name
- name: default
`)
  const at = (place: string) => lines.find((line) => line.includes(` pools${place}: `)) ?? `nothing at ${place}`
  match(at('[0].nameserver'), /^pools\.yaml:2:3: .*did you mean nameservers\?/)
  match(at('[0].ns_records[0].hostname'), /^pools\.yaml:3:17: .*must be a full name that ends with a dot/)
  match(at('[0].nameservers[0].host'), /^pools\.yaml:5:8: .*not '192\.0\.2\.300'/)
  match(at('[0].nameservers[1].port'), /^pools\.yaml:6:30: .*must be 1\.\.65535, not 0/)
  match(
    at('[0].targets[0].type'),
    /pool "default" has a target of type "bind", which is not supported \(did you mean bind9\?\)/,
  )
  match(at('[0].targets[1].masters'), /must have at least one for bind9/)
  match(at('[0].targets[1].options.rndc_port'), /must be 1\.\.65535, not 70000/)
  match(at('[0].targets[1].options.clean_zonefile'), /must be true or false/)
  match(at('[0].targets[1].options.rndc_kee'), /is no option of the kind bind9/)
  match(at('[0].targets[2].tsigkey_id'), /must be a UUID/)
  match(at('[0].targets[2].options.api_endpoint'), /required/)
  match(at('[0].threshold_percentage'), /must be 1\.\.100, not 0/)
  match(at('[1].name'), /^pools\.yaml:19:3: .*is required/)
  match(at('[0].nameservers[3]'), /is the same as pools\[0\]\.nameservers\[2\]/)
  match(at('[2]'), /^pools\.yaml:20:3: .*is the same as pools\[0\]/)
  equal(lines.length, 15)
})

for (const type of ['designate', 'akamai_v2', 'infoblox', 'dynect', 'ns1', 'fake', 'agent']) {
  test(`[W24] a target of type ${type} is refused with the name of its pool and what is supported`, () => {
    const lines = told(`- name: edge\n  targets: [{type: ${type}, options: {password: sesame}}]\n`)
    equal(lines.length, 1)
    ok(lines[0]!.includes(`pools[0].targets[0].type: pool "edge" has a target of type "${type}"`))
    match(lines[0]!, /supported are catalog, bind9, knot, nsd4, pdns4$/)
  })
}

for (const [what, text, expected] of [
  ['no YAML', '- name: [', /^pools\.yaml: .* at line 1, column/],
  ['twice the same key', '- name: a\n  name: b\n', /^pools\.yaml: Map keys must be unique/],
  ['two documents', '- name: a\n---\n- name: b\n', /^pools\.yaml: .*multiple documents/],
  ['nothing', '', /must be a list of pools, each with a name, not nothing/],
  ['an empty list', '[]', /not an empty one/],
  ['a mapping', 'pools: []', /not a mapping/],
  ['a bomb of aliases', bomb(), /alias/i],
] as const) {
  test(`[W24] a file that is ${what} is refused in one line`, () => {
    const lines = told(text)
    equal(lines.length, 1, lines.join('\n'))
    match(lines[0]!, expected)
  })
}

function bomb(): string {
  const rows = Array.from({ length: 30 }, (_, i) => `- &a${i + 1} [${`*a${i},`.repeat(9)}]`)
  return `- &a0 [x]\n${rows.join('\n')}\n`
}

test('[W24] whatever a file holds, reading it ends with pools or with faults that have a place', () => {
  const key = fc.oneof(
    fc.constantFrom('name', 'targets', 'options', 'type', 'masters', 'host', 'port', 'nameservers'),
    fc.string(),
  )
  const anything = fc.anything({
    key,
    maxDepth: 5,
    values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)],
  })
  fc.assert(
    fc.property(fc.oneof(fc.array(anything), anything), (value) => {
      const { pools, faults, tell } = readPools(JSON.stringify(value) ?? '', 'f')
      ok(pools.length > 0 || faults.length > 0)
      for (const line of tell(faults)) match(line, /^f(:\d+:\d+)?: /)
    }),
    { numRuns: 300 },
  )
})

const nsd = (options: string, nameservers = '[]') => {
  const text = `- name: a\n  nameservers: ${nameservers}\n  targets: [{type: nsd4, options: {${options}}}]\n`
  const { pools, faults } = readPools(text, 'pools.yaml')
  deepEqual(faults, [])
  return pools[0]!.targets![0]!
}

test("[W25] Designate's nsd4 has its control channel in host and port: they become control_port, with a note", () => {
  const { options, notes } = nsd('host: 192.0.2.3, port: 8952, pattern: x')
  deepEqual(options, { host: '192.0.2.3', pattern: 'x', port: 53, control_port: 8952 })
  match(notes.join(), /192\.0\.2\.3:8952 is taken as the control channel.*192\.0\.2\.3:53 as where it answers DNS/)
  deepEqual(nsd('host: 192.0.2.3').options, { host: '192.0.2.3', port: 53, control_port: 8952 })
})

test('[W25] a name server of the pool at the same host says where NSD answers DNS', () => {
  equal(nsd('host: 192.0.2.3, port: 8953', '[{host: 192.0.2.3, port: 5353}]').options.port, 5353)
  equal(nsd('host: 192.0.2.3, port: 8953', '[{host: 192.0.2.4, port: 5353}]').options.port, 53)
})

test('[W25] an nsd4 target of ours, with control_port, control_host or port 53, is taken as it is', () => {
  for (const given of ['port: 8952, control_port: 9000', 'port: 5300, control_host: 192.0.2.9', 'port: 53']) {
    const { options, notes } = nsd(`host: 192.0.2.3, ${given}`)
    deepEqual(notes, [])
    equal(String(options.port), /port: (\d+)/.exec(given)![1])
  }
})
