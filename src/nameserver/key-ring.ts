import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import type { TsigAlgorithm, TsigKey } from '../dns/tsig.ts'
import { type Networks, networks } from '../networks.ts'
import * as transfers from '../resources/pool-transfers/store.ts'
import { deliveryTopic } from '../resources/pools/store.ts'
import { allKeys } from '../resources/tsigkeys/store.ts'
import type { Secrets } from '../secrets.ts'
import { accessRules, type ScopedKey, type TransferZone } from './acl.ts'
import { addressesOf, HostAddresses, poolServers, withServers } from './pool-servers.ts'

const topics = new Set(['tsigkeys', 'transfers', deliveryTopic])
const pollMilliseconds = 5000

export type KeyRingOptions = {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
  /** Called when there are other keys than before. */
  readonly onKeys: (keys: readonly TsigKey[]) => void
}

/** The keys that may sign requests and the rules of who may transfer what, as the database has them. */
export class KeyRing {
  readonly #options: KeyRingOptions
  readonly #addresses = new HostAddresses()
  readonly #poll: NodeJS.Timeout
  readonly #unfollow: () => void
  #keys: ReadonlyMap<string, TsigKey & ScopedKey> = new Map()
  #rules: ReturnType<typeof accessRules> = accessRules({ keys: [], pools: new Map() })
  #own: Networks = networks([])
  #reading: Promise<void> | undefined
  #again = false

  constructor(options: KeyRingOptions) {
    this.#options = options
    this.#poll = setInterval(() => this.#read(), pollMilliseconds)
    this.#unfollow = options.db.follow((woken) => {
      if (woken.some((topic) => topics.has(topic))) this.#read()
    })
  }

  /** The key of a name, given in lower case. */
  find(name: string): TsigKey | undefined {
    return this.#keys.get(name)
  }

  /** Every key, for threads that check signatures too. */
  get keys(): readonly TsigKey[] {
    return [...this.#keys.values()].map(({ name, algorithm, secret }) => ({ name, algorithm, secret }))
  }

  mayTransfer(zone: TransferZone, address: string, keyName: string | undefined): boolean {
    return this.#rules.mayTransfer(zone, address, keyName)
  }

  /** Whether a client is one of the servers of a pool. */
  isPoolServer(address: string): boolean {
    return this.#own.has(address)
  }

  /** Whether a key is one of a zone or its pool. */
  isKeyOf(zone: TransferZone, keyName: string): boolean {
    return this.#rules.isKeyOf(zone, keyName)
  }

  async refresh(): Promise<void> {
    const { db, secrets } = this.#options
    const { keys, rules, servers } = await db.read(async (tx) => ({
      keys: await allKeys(tx, secrets),
      rules: await transfers.all(tx),
      servers: await poolServers(tx),
    }))
    const own = await addressesOf(servers, this.#addresses)
    const pools = withServers(rules, own)
    this.#own = networks(own.map(({ address }) => address))
    const before = this.#keys
    this.#keys = new Map(keys.map((key) => [key.name, { ...key, algorithm: key.algorithm as TsigAlgorithm }]))
    this.#rules = accessRules({ keys, pools })
    if (!sameKeys(before, this.#keys)) this.#options.onKeys(this.keys)
  }

  async stop(): Promise<void> {
    clearInterval(this.#poll)
    this.#unfollow()
    await this.#reading
  }

  #read(): void {
    this.#again = true
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined
    })
  }

  async #readAll(): Promise<void> {
    while (this.#again) {
      this.#again = false
      await this.refresh().catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'keys could not be read; it is tried again'),
      )
    }
  }
}

function sameKeys(a: ReadonlyMap<string, TsigKey>, b: ReadonlyMap<string, TsigKey>): boolean {
  if (a.size !== b.size) return false
  for (const [name, key] of b) {
    const other = a.get(name)
    if (other?.algorithm !== key.algorithm || Buffer.compare(other.secret, key.secret) !== 0) return false
  }
  return true
}
