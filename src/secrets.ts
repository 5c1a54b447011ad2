import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Trouble } from './trouble.ts'

/** Encrypts what must not lie readable in the database. */
export type Secrets = {
  /** Tells keys apart without telling them. */
  readonly keyId: string
  /** The key itself, for other threads of this process. */
  readonly key: Uint8Array
  /** Encrypts text for one place; `context` names that place, and the result opens nowhere else. */
  seal(text: string, context: string): string
  /** What was sealed for that place; throws when it was not, or not with this key. */
  open(sealed: string, context: string): string
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** The secrets of an installation, under the key of the setting `secret_key` or else that of the data folder. */
export async function openSecrets(options: {
  readonly dataDir: string
  readonly secretKey: string | undefined
}): Promise<Secrets> {
  const { dataDir, secretKey } = options
  return secretsWith(secretKey === undefined ? keyInFile(join(dataDir, 'secret.key')) : await keyFromText(secretKey))
}

/** Secrets under one key of 32 octets: AES-256-GCM, written `v1:<key id>:<nonce, tag and ciphertext in base64url>`. */
export function secretsWith(key: Uint8Array): Secrets {
  if (key.length !== keyBytes) throw new Error(`a secret key has ${keyBytes} octets, not ${key.length}`)
  const keyId = createHash('sha256').update('nameplane secret key id\0').update(key).digest('hex').slice(0, 12)
  const prefix = `v1:${keyId}:`
  return {
    keyId,
    key,
    seal(text, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(prefix + context))
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return prefix + Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url')
    },
    open(sealed, context) {
      const [version, sealedWith, body] = sealed.split(':')
      if (version !== 'v1' || body === undefined) throw new Error(`the stored secret of ${context} is not one of ours`)
      if (sealedWith !== keyId) throw new Error(`the stored secret of ${context}: ${otherKey(sealedWith!, keyId)}`)
      const bytes = Buffer.from(body, 'base64url')
      const [nonce, tag] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes, nonceBytes + tagBytes)]
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(prefix + context)).setAuthTag(tag)
        return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
      } catch (cause) {
        throw new Error(`the stored secret of ${context} was changed, or moved here from elsewhere`, { cause })
      }
    },
  }
}

/** What to tell a person whose database was written under another key. */
export const otherKey = (there: string, here: string): string =>
  `it is encrypted with the key ${there}, and this process has the key ${here}; ` +
  'give it the same setting secret_key, or the same file secret.key in data_dir'

/** The octets of a key that is written out in base64, or undefined when text is not that. */
function writtenOut(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === keyBytes && bytes.toString('base64') === text ? bytes : undefined
}

const stretch = promisify<string, string, number, object, Buffer>(scrypt)

// Every process of an installation must come to the same key from the passphrase alone, so the salt is fixed.
const keyFromText = async (text: string): Promise<Uint8Array> =>
  writtenOut(text) ?? stretch(text, 'nameplane secret_key', keyBytes, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 })

function keyInFile(path: string): Uint8Array {
  const text = readIfThere(path) ?? makeKeyFile(path)
  const key = writtenOut(text.trim())
  if (key !== undefined) return key
  throw new Trouble(
    `${path} does not hold a key (base64 of ${keyBytes} octets); put the right file back from a backup, or set secret_key`,
  )
}

/** Writes a new key where no reader can see half of it, and gives way to a process that was quicker. */
function makeKeyFile(path: string): string {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeDurably(draft, `${randomBytes(keyBytes).toString('base64')}\n`)
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
  syncFolder(dirname(path))
  return readFileSync(path, 'utf8')
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Trouble(`cannot read the secret key: ${message}`)
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncFolder(path: string): void {
  // Windows has no such call for folders.
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
