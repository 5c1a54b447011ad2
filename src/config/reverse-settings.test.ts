import { deepEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { type Config, contradictions, settingNames, settingRows } from '../config.ts'

const defaults = Object.fromEntries(
  settingNames.map((name) => [name, settingRows[name].parse(settingRows[name].default)]),
) as unknown as Config

test('[G34] the settings of the network service that go together are missed when one is left out', () => {
  const network = { network_url: 'http://a', network_identity_url: 'http://b' }
  const user = { network_username: 'u', network_password: 'p' }
  deepEqual(contradictions({ ...defaults, ...network, ...user }), [])
  deepEqual(contradictions({ ...defaults, ...network, network_credential_id: 'i', network_credential_secret: 's' }), [])
  deepEqual(contradictions({ ...defaults, network_url: 'http://a' }), [])
  for (const [wrong, line] of [
    [network, /^network_identity_url needs/],
    [{ ...network, network_username: 'u' }, /^network_username and network_password go together/],
    [{ ...network, ...user, network_credential_id: 'i' }, /^network_credential_id and/],
    [{ network_url: 'http://a', ...user }, /need network_identity_url/],
    [{ network_identity_url: 'http://b', ...user }, /of no use without network_url/],
  ] as const) {
    const lines = contradictions({ ...defaults, ...wrong })
    deepEqual([lines.length, line.test(lines[0] ?? '')], [1, true], lines.join('\n'))
  }
})

test('[G34] prefixes of zones end where a label does, and no secret is shown', () => {
  throws(() => settingRows.reverse_ipv4_prefix.parse('20'), /multiple of 8/)
  throws(() => settingRows.reverse_ipv6_prefix.parse('63'), /multiple of 4/)
  throws(() => settingRows.network_region.parse('a:b'), /letters/)
  for (const name of ['network_password', 'network_credential_secret'] as const) {
    deepEqual(settingRows[name].mask?.('secret'), '***')
  }
})
