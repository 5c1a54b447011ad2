import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseIpv4, parseIpv6, printAddress } from './address.ts'
import { TextError } from './errors.ts'
import { addressOfReverse, reverseName } from './reverse.ts'

test('[M5] an address has one reverse name, and a whole reverse name gives the address back', () => {
  equal(reverseName('192.0.2.7'), '7.2.0.192.in-addr.arpa.')
  equal(reverseName('2001:db8::1'), `1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa.`)
  equal(addressOfReverse('7.2.0.192.IN-ADDR.arpa.'), '192.0.2.7')
  for (const part of [
    '2.0.192.in-addr.arpa.',
    '07.2.0.192.in-addr.arpa.',
    '256.2.0.192.in-addr.arpa.',
    '1.ip6.arpa.',
    'arpa.',
    '.',
  ]) {
    equal(addressOfReverse(part), undefined)
  }
})

test('[M5] every address survives address → reverse name → address', () => {
  const octets = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  const sparse = octets(16).map((a) => a.map((octet) => (octet % 3 === 0 ? octet : 0)))
  fc.assert(
    fc.property(fc.oneof(octets(4), octets(16), sparse), (octets) => {
      const text = printAddress(octets)
      equal(addressOfReverse(reverseName(text)), text)
    }),
  )
})

const ipv6: [given: string, shortest: string][] = [
  ['::', '::'],
  ['::1', '::1'],
  ['1::', '1::'],
  ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:0db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
]
for (const [given, shortest] of ipv6) {
  test(`[M5] ${given} is printed ${shortest}`, () => equal(printAddress(parseIpv6(given)), shortest))
}

for (const bad of [
  '',
  ':',
  ':::',
  '1',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1::2::3',
  '12345::',
  'g::',
  '1.2.3.4::',
  '::1.2.3',
  '1:2:3:4:5:6:7:8::',
  'fe80::1%eth0',
  '1:2:3:4:5:6:7:1.2.3.4',
]) {
  test(`[M5] ${bad} is no IPv6 address`, () => void throws(() => parseIpv6(bad), TextError))
}

for (const bad of ['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '01.1.1.1', '1.2.3.4 ', '1.2.3.a', '-1.2.3.4']) {
  test(`[M5] ${bad} is no IPv4 address`, () => void throws(() => parseIpv4(bad), TextError))
}
