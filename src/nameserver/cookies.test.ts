import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { parseIpv4, parseIpv6 } from '../dns/address.ts'
import { checkCookie } from './cookies.ts'
import { sipHash } from './siphash.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const at = (seconds: number) => seconds * 1000
const secret = hex('e5e973e5a6b2a43f48e7dc849e37bfcf')

test('SipHash-2-4 gives the values its authors published', () => {
  const key = Uint8Array.from({ length: 16 }, (_, i) => i)
  const data = Uint8Array.from({ length: 15 }, (_, i) => i)
  const hashes = [0, 1, 8, 15].map((length) => {
    const out = new Uint8Array(8)
    sipHash(key, data, 0, length, out, 0)
    return text(out)
  })
  deepEqual(hashes, ['310e0edd47db6f72', 'fd67dc93c539f874', '6224939a79f5f593', 'e545be4961ca29a1'])
})

test('[S20] a server cookie is made as RFC 9018 A.1 makes it', () => {
  const made = checkCookie({ client: hex('2464c4abcf10c957') }, parseIpv4('198.51.100.100'), [secret], at(1559731985))
  deepEqual([made.good, text(made.server)], [false, '010000005cf79f111f8130c3eee29480'])
})

test('[S20] it is good for an hour, kept for half of it, renewed after (RFC 9018 A.2)', () => {
  const client = hex('2464c4abcf10c957')
  const server = hex('010000005cf79f111f8130c3eee29480')
  const address = parseIpv4('198.51.100.100')
  const after = (seconds: number) => checkCookie({ client, server }, address, [secret], at(1559731985 + seconds))
  deepEqual(after(0), { good: true, server })
  deepEqual(after(1800), { good: true, server })
  equal(after(1801).good, true)
  equal(text(after(2400).server), '010000005cf7a871d4a564a1442aca77')
  equal(after(3600).good, true)
  equal(after(3601).good, false)
  equal(after(-300).good, true)
  equal(after(-301).good, false)
})

test('[S20] reserved octets of others are signed as they are (RFC 9018 A.3)', () => {
  const check = checkCookie(
    { client: hex('fc93fc62807ddb86'), server: hex('01abcdef5cf78f71a314227b6679ebf5') },
    parseIpv4('203.0.113.203'),
    [secret],
    at(1559728001),
  )
  equal(check.good, true)
})

test('[S20] a cookie under the secret before is good and replaced (RFC 9018 A.4)', () => {
  const client = hex('22681ab97d52c298')
  const address = parseIpv6('2001:db8:220:1:59de:d0f4:8769:82b8')
  const server = hex('010000005cf7c57926556bd0934c72f8')
  const secrets = [hex('445536bcd2513298075a5d379663c962'), hex('dd3bdf9344b678b185a6f5cb60fca715')]
  const check = checkCookie({ client, server }, address, secrets, at(1559741961))
  deepEqual([check.good, text(check.server)], [true, '010000005cf7c609a6bb79d16625507a'])
})

test('[S20] a cookie of another client, address, secret, version or length is not good', () => {
  const client = hex('2464c4abcf10c957')
  const server = hex('010000005cf79f111f8130c3eee29480')
  const address = parseIpv4('198.51.100.100')
  const now = at(1559731985)
  const good = (c: Uint8Array, s: Uint8Array, a: Uint8Array, k: Uint8Array) =>
    checkCookie({ client: c, server: s }, a, [k], now).good
  equal(good(client, server, address, secret), true)
  equal(good(hex('2464c4abcf10c958'), server, address, secret), false)
  equal(good(client, server, parseIpv4('198.51.100.101'), secret), false)
  equal(good(client, server, address, hex('00000000000000000000000000000000')), false)
  equal(good(client, hex('020000005cf79f111f8130c3eee29480'), address, secret), false)
  equal(good(client, hex('010000005cf79f111f8130c3eee2948000'), address, secret), false)
  equal(good(client, hex('010000005cf79f11'), address, secret), false)
})
