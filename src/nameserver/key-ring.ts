import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import type { TsigAlgorithm, TsigKey } from '../dns/tsig.ts'
import * as transfers from '../resources/pool-transfers/store.ts'
import { allKeys } from '../resources/tsigkeys/store.ts'
import type { Secrets } from '../secrets.ts'
import { transferAcl } from './acl.ts'

const topics = new Set(['tsigkeys', 'transfers'])
const pollMilliseconds = 5000

/** The keys that may sign requests and the rules of who may transfer what, as the database has them. */
export class KeyRing {
  readonly #db: Database
  readonly #secrets: Secrets
  readonly #log: Logger
  readonly #poll: NodeJS.Timeout
  #keys: ReadonlyMap<string, TsigKey> = new Map()
  #mayTransfer: ReturnType<typeof transferAcl> = () => false
  #reading = false
  #again = false

  constructor(db: Database, secrets: Secrets, log: Logger) {
    this.#db = db
    this.#secrets = secrets
    this.#log = log
    this.#poll = setInterval(() => void this.#read(), pollMilliseconds)
  }

  /** The key of a name, given in lower case. */
  find(name: string): TsigKey | undefined {
    return this.#keys.get(name)
  }

  /** Every key, for threads that check signatures too. */
  get keys(): readonly TsigKey[] {
    return [...this.#keys.values()]
  }

  mayTransfer(
    zone: { readonly id: string; readonly pool_id: string },
    address: string,
    keyName: string | undefined,
  ): boolean {
    return this.#mayTransfer(zone, address, keyName)
  }

  wake(woken: readonly string[]): void {
    if (woken.some((topic) => topics.has(topic))) void this.#read()
  }

  async refresh(): Promise<void> {
    await this.#db.read(async (tx) => {
      const keys = await allKeys(tx, this.#secrets)
      this.#keys = new Map(
        keys.map(({ name, algorithm, secret }) => [name, { name, algorithm: algorithm as TsigAlgorithm, secret }]),
      )
      this.#mayTransfer = transferAcl({ keys, pools: await transfers.all(tx) })
    })
  }

  stop(): void {
    clearInterval(this.#poll)
  }

  async #read(): Promise<void> {
    this.#again = true
    if (this.#reading) return
    this.#reading = true
    while (this.#again) {
      this.#again = false
      await this.refresh().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'keys could not be read; it is tried again'),
      )
    }
    this.#reading = false
  }
}
