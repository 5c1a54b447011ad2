import { deepEqual, equal, rejects, throws } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { chooseKey, loadKey, makeKey } from './key-file.ts'
import { RndcError } from './protocol.ts'
import { parseStatements } from './statements.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nameplane-key-'))
})
after(() => rm(folder, { recursive: true }))

const key = (name: string, secret = 'c2VjcmV0') => `key "${name}" { algorithm hmac-sha256; secret "${secret}"; };`
const place = { secret: undefined, name: 'rndc-key', algorithm: 'hmac-sha256', host: '127.0.0.1' }

async function fileOf(text: string, name = 'rndc.conf'): Promise<string> {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

test('[W35] a key file is read as rndc-confgen writes it, with comments of all three kinds', async () => {
  const file = await fileOf(`# one\n// two\n/* three { */\n${key('rndc-key')}\n`)
  const found = await loadKey({ ...place, file })
  deepEqual(found, { name: 'rndc-key', algorithm: 'hmac-sha256', secret: Buffer.from('secret') })
})

test('[W35] of several keys the one counts that the server statement names, else the default, else the name of the option', () => {
  const three = ['a', 'b', 'rndc-key'].map((name) => key(name)).join('\n')
  const chosen = (more: string) => chooseKey(parseStatements(three + more), 'rndc-key', '127.0.0.1').name
  equal(chosen(''), 'rndc-key')
  equal(chosen('options { default-key "a"; default-port 953; };'), 'a')
  equal(chosen('options { default-key a; }; server 127.0.0.1 { key "b"; };'), 'b')
  equal(chosen('options { default-key a; }; server 192.0.2.1 { key "b"; };'), 'a')
  equal(chooseKey(parseStatements(key('only')), 'rndc-key', '127.0.0.1').name, 'only')
})

test('[W35] an rndc.conf may include the key', async () => {
  await fileOf(key('inside'), 'rndc.key')
  const file = await fileOf('include "rndc.key"; options { default-key inside; };')
  equal((await loadKey({ ...place, file })).name, 'inside')
})

test('[W35] what is wrong with a key is said, with the file that has it', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /rndc\.conf cannot be used: it has no key statement/],
    [`${key('a')}${key('b')}`, /no key "rndc-key", but a, b/],
    ['key k { algorithm hmac-sha3; secret "c2VjcmV0"; };', /must be one of hmac-md5, .*not "hmac-sha3"/],
    ['key k { algorithm hmac-sha256; secret "not base64"; };', /secret of the key k must be base64/],
    ['key k { algorithm hmac-sha256; };', /must be base64/],
    ['key k { secret "', /a quote is not closed/],
    ['key k {', /a brace is not closed/],
    ['}', /a brace is closed that was not opened/],
    ['include "rndc.conf";', /more than 20 files are included/],
  ]
  for (const [text, message] of cases) await rejects(loadKey({ ...place, file: await fileOf(text) }), message)
  await rejects(loadKey({ ...place, file: join(folder, 'none') }), /cannot be read: .*ENOENT/)
})

test('[W35] a key given as an option needs no file', async () => {
  const given = { ...place, file: '/nowhere', secret: ' c2Vj cmV0\n', name: 'k', algorithm: 'HMAC-MD5.SIG-ALG.REG.INT' }
  deepEqual(await loadKey(given), makeKey('k', 'hmac-md5', 'c2VjcmV0'))
})

test('[W35] any text is statements or an error of ours', () => {
  const words = fc.constantFrom('{', '}', ';', '"', '\\', '/*', '*/', '//', '#', '\n', 'key', ' ', 'a')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words).map((all) => all.join('')),
      ),
      (text) => {
        try {
          parseStatements(text)
        } catch (error) {
          if (!(error instanceof RndcError)) throw error
        }
      },
    ),
    { numRuns: 1000 },
  )
  throws(() => parseStatements('{'.repeat(100)), /nested/)
})
