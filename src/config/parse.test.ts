import { deepEqual, equal, match, throws } from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import {
  BadValue,
  maskDatabaseUrl,
  parseAddress,
  parseBoolean,
  parseBytes,
  parseChoice,
  parseDatabaseUrl,
  parseHostname,
  parseInteger,
  parseList,
  parseNetwork,
  parseOrigin,
  parsePath,
  parseSocketAddress,
  parseSome,
  parseWebUrl,
} from './parse.ts'

const accepted: readonly [name: string, parse: (text: string) => unknown, text: string, value: unknown][] = [
  ['address', parseAddress, '127.0.0.1:9001', { host: '127.0.0.1', port: 9001 }],
  ['address', parseAddress, '[::1]:0', { host: '::1', port: 0 }],
  ['address', parseAddress, 'localhost:65535', { host: 'localhost', port: 65535 }],
  ['address', parseAddress, 'api.example.org:80', { host: 'api.example.org', port: 80 }],
  ['socket address', parseSocketAddress, '[2001:db8::1]:53', { host: '2001:db8::1', port: 53 }],
  ['integer', parseInteger(1, 1000), '1000', 1000],
  ['bytes', parseBytes(1024, 2 ** 30), '1 MiB', 1048576],
  ['bytes', parseBytes(1024, 2 ** 30), '64KiB', 65536],
  ['bytes', parseBytes(1024, 2 ** 30), '2048', 2048],
  ['choice', parseChoice('none', 'some'), 'some', 'some'],
  ['boolean', parseBoolean, 'yes', true],
  ['boolean', parseBoolean, 'false', false],
  ['path', parsePath, './data', resolve('data')],
  ['network', parseNetwork, '10.0.0.0/8', '10.0.0.0/8'],
  ['network', parseNetwork, '2001:db8::/32', '2001:db8::/32'],
  ['network', parseNetwork, '192.0.2.7', '192.0.2.7'],
  ['hostname', parseHostname, 'NS1.example.org.', 'ns1.example.org.'],
  ['web URL', parseWebUrl, 'https://dns.example.org/api/', 'https://dns.example.org/api'],
  ['web URL', parseWebUrl, 'http://[::1]:9001', 'http://[::1]:9001'],
  ['origin', parseOrigin, 'https://Console.example.org', 'https://console.example.org'],
  ['origin', parseOrigin, '*', '*'],
  ['database URL', parseDatabaseUrl, 'postgres://u:p@h/d', 'postgres://u:p@h/d'],
  ['database URL', parseDatabaseUrl, 'postgresql:///d?host=/run', 'postgresql:///d?host=/run'],
  ['list', parseList(parseNetwork), '', []],
  ['list', parseList(parseNetwork), ' 192.0.2.1 , ::1,', ['192.0.2.1', '::1']],
  ['list of some', parseSome(parseHostname), 'a.b.,c.d.', ['a.b.', 'c.d.']],
]

for (const [name, parse, text, value] of accepted) {
  test(`[L5] ${name} ${JSON.stringify(text)} is read`, () => deepEqual(parse(text), value))
}

const refused: readonly [name: string, parse: (text: string) => unknown, texts: readonly string[]][] = [
  [
    'address',
    parseAddress,
    ['', '9001', ':9001', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '::1:9001', '[::1]', '*:80'],
  ],
  [
    'address',
    parseAddress,
    ['256.0.0.1:80', '1.2.3:80', '[localhost]:80', 'a b:80', '127.0.0.1:80x', '-a:1', '0x7f:1234x'],
  ],
  ['socket address', parseSocketAddress, ['localhost:53', '1.2.3.4', '[::g]:53']],
  ['integer', parseInteger(1, 1000), ['', '0', '1001', '-1', '1.5', '1e2', '0x10', ' 5', 'NaN', '9'.repeat(40)]],
  ['bytes', parseBytes(1024, 2 ** 30), ['', '1', '1MB', '-1 MiB', '2000 MiB', '1.5 MiB']],
  ['choice', parseChoice('none'), ['', 'None', 'toString', '__proto__']],
  ['boolean', parseBoolean, ['', 'TRUE', 'on', '2']],
  ['path', parsePath, ['', 'a\0b']],
  [
    'network',
    parseNetwork,
    ['', '10.0.0.0/33', '::/129', '10.0.0/8', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/-1', 'example.org'],
  ],
  ['hostname', parseHostname, ['', '.', 'ns1.example.org', 'a..b.', '-a.b.', `${'a'.repeat(64)}.b.`, 'a b.']],
  [
    'web URL',
    parseWebUrl,
    ['', 'dns.example.org', 'ftp://a/', 'http://u:p@a/', 'http://a/?q', 'http://a/#f', 'http://'],
  ],
  ['origin', parseOrigin, ['', 'console.example.org', 'https://a/path', 'https://a/', 'null']],
  ['database URL', parseDatabaseUrl, ['', 'mysql://u:p@h/d', 'postgres', '/var/lib/db']],
  ['list of some', parseSome(parseHostname), ['', ' , ']],
]

for (const [name, parse, texts] of refused) {
  test(`[L5] what is no ${name} is refused in words that say what is right (${texts[0] || texts[1]}…)`, () => {
    for (const text of texts) {
      throws(
        () => parse(text),
        (error) => error instanceof BadValue && /^must /.test(error.message) && error.message.length < 260,
        JSON.stringify(text),
      )
    }
  })
}

test('[L7] a database URL that is refused is not shown, since it may hold a password', () => {
  throws(
    () => parseDatabaseUrl('mysql://u:hunter2@h/d'),
    (error: Error) => !error.message.includes('hunter2'),
  )
})

test('[L7] a masked database URL keeps all but its password', () => {
  equal(maskDatabaseUrl('postgres://u:hunter2@h:5432/d?sslmode=require'), 'postgres://u:***@h:5432/d?sslmode=require')
  match(maskDatabaseUrl('postgres://h/d?user=u&password=hunter2'), /^postgres:\/\/h\/d\?user=u&password=(\*|%2A){3}$/)
  equal(maskDatabaseUrl('postgres://u@h/d'), 'postgres://u@h/d')
})
