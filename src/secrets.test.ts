import { deepEqual, equal, match, notEqual, rejects, throws } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openSecrets, secretsWith } from './secrets.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'nameplane-secrets-'))
  folders.push(made)
  return made
}

const secrets = secretsWith(new Uint8Array(32).fill(1))

test('[K9] what is sealed opens again in its own place, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
      equal(secrets.open(secrets.seal(text, context), context), text)
    }),
  )
})

test('[K9] a sealed text shows neither the secret nor that two are the same', () => {
  const [one, other] = [secrets.seal('swordfish', 'a'), secrets.seal('swordfish', 'a')]
  match(one, /^v1:[0-9a-f]{12}:[\w-]+$/)
  notEqual(one, other)
  equal(one.includes('swordfish') || one.includes(Buffer.from('swordfish').toString('base64url')), false)
})

test('[K9] a sealed text that is moved to another row does not open', () => {
  throws(() => secrets.open(secrets.seal('swordfish', 'tsigkeys/1'), 'tsigkeys/2'), /tsigkeys\/2 was changed, or moved/)
})

test('[K9] a sealed text with any one character changed does not open', () => {
  const sealed = secrets.seal('swordfish', 'a')
  for (let i = 0; i < sealed.length; i++) {
    // The high bit of each character, so that the change is not one of base64's unused bits.
    const other = sealed[i] === 'A' ? 'w' : 'A'
    throws(() => secrets.open(sealed.slice(0, i) + other + sealed.slice(i + 1), 'a'), `position ${i}`)
  }
})

test('[K9] text that is not sealed does not open', () => {
  for (const text of ['', 'swordfish', 'v1:', `v1:${secrets.keyId}:`, `v1:${secrets.keyId}:AAAA`, 'v2:x:y']) {
    throws(() => secrets.open(text, 'a'), text)
  }
})

test('[K10] a secret sealed with another key is refused with the setting to look at', () => {
  const other = secretsWith(new Uint8Array(32).fill(2))
  throws(() => other.open(secrets.seal('swordfish', 'a'), 'a'), /secret_key/)
})

test('[K10] the first start makes a key file that only its owner can read, and later starts use it', async () => {
  const dataDir = folder()
  const first = await openSecrets({ dataDir, secretKey: undefined })
  const path = join(dataDir, 'secret.key')
  equal(statSync(path).mode & 0o777, 0o600)
  equal(Buffer.from(readFileSync(path, 'utf8'), 'base64').length, 32)
  deepEqual(readdirSync(dataDir), ['secret.key'])
  const second = await openSecrets({ dataDir, secretKey: undefined })
  equal(second.open(first.seal('swordfish', 'a'), 'a'), 'swordfish')
})

test('[K10] two folders get two keys', async () => {
  const one = await openSecrets({ dataDir: folder(), secretKey: undefined })
  const other = await openSecrets({ dataDir: folder(), secretKey: undefined })
  notEqual(one.keyId, other.keyId)
})

test('[K10] a key file with anything else in it is refused and left alone', async () => {
  const dataDir = folder()
  const path = join(dataDir, 'secret.key')
  for (const content of ['', 'swordfish', `${Buffer.alloc(31).toString('base64')}\n`]) {
    writeFileSync(path, content)
    await rejects(openSecrets({ dataDir, secretKey: undefined }), /secret\.key does not hold a key .*secret_key/)
    equal(readFileSync(path, 'utf8'), content)
  }
})

test('[K10] a key file that cannot be read is told, not replaced', async () => {
  const dataDir = folder()
  mkdirSync(join(dataDir, 'secret.key'))
  await rejects(openSecrets({ dataDir, secretKey: undefined }), /cannot read the secret key/)
})

test('[K10] the setting takes a key in base64 or a passphrase, and leaves no file', async () => {
  const dataDir = folder()
  const bytes = new Uint8Array(32).fill(1)
  const written = await openSecrets({ dataDir, secretKey: Buffer.from(bytes).toString('base64') })
  equal(written.keyId, secrets.keyId)
  const phrase = await openSecrets({ dataDir, secretKey: 'correct horse battery staple' })
  const again = await openSecrets({ dataDir, secretKey: 'correct horse battery staple' })
  equal(again.open(phrase.seal('swordfish', 'a'), 'a'), 'swordfish')
  notEqual(phrase.keyId, (await openSecrets({ dataDir, secretKey: 'correct horse battery stapler' })).keyId)
  deepEqual(readdirSync(dataDir), [])
})
