import type { Database, Tx } from '../../db/sql.ts'
import type { Key } from './rules.ts'

/** An address that a project has now. */
export type Held = Key & { readonly address: string; readonly project_id: string }

/** For whom a source is asked. */
export type Asker = {
  readonly project_id: string
  /** What the caller showed to be known by. */
  readonly token: string | undefined
  readonly db: Database
}

/** Who knows which addresses projects have. */
export type AddressSource = {
  /** Names are kept with the name of the source that knew their address; only that one says when it is gone. */
  readonly name: string
  /** All addresses of a project, at most `mostAddresses`. */
  all(asker: Asker): Promise<readonly Held[]>
  /** One of them. */
  one(asker: Asker, key: Key): Promise<Held | undefined>
  /** Whether that has not changed, and will not until a transaction ends; for those that can tell. */
  stillHas?(tx: Tx, held: Held): Promise<boolean>
}

/** How many addresses a project may have: they are listed without pages. */
export const mostAddresses = 10_000
