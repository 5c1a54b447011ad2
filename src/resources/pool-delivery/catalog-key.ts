import { timestamp } from '../../clock.ts'
import { type Tx, UniqueViolation } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Secrets } from '../../secrets.ts'
import { type Tsigkey, tsigkeysTopic } from '../tsigkeys/fields.ts'
import * as keys from '../tsigkeys/store.ts'
import { idByName, mustBeUnused } from '../tsigkeys/users.ts'
import type { GivenCatalog } from './fields.ts'

/** The key that a pool's catalog is to have after a change. */
type Wanted = {
  readonly poolId: string
  /** What the body says of the catalog; undefined when there is to be none. */
  readonly given: GivenCatalog | undefined
  /** The key that was made for it before. */
  readonly before: Tsigkey | undefined
}

/** Makes, changes, renames or removes the TSIG key that goes by a catalog's name; returns its id. */
export async function keepCatalogKey(
  tx: Tx,
  secrets: Secrets,
  { poolId, given, before }: Wanted,
  now: Date,
): Promise<string | null> {
  const secret = given?.catalog_zone_tsig_key === undefined ? before?.secret : given.catalog_zone_tsig_key
  if (given === undefined || secret === undefined || secret === null) {
    if (before === undefined) return null
    await mustBeUnused(tx, before.id)
    await keys.remove(tx, before.id)
    tx.wake(tsigkeysTopic)
    return null
  }
  const name = given.catalog_zone_fqdn
  const present = before ?? (await ofPool(tx, secrets, name, poolId))
  const algorithm = given.catalog_zone_tsig_algorithm ?? present?.algorithm ?? 'hmac-sha256'
  if (present?.name === name && present.secret === secret && present.algorithm === algorithm) return present.id
  const at = timestamp(now)
  const change = { name, algorithm, secret }
  const made = {
    ...change,
    id: newId(now),
    scope: 'POOL',
    resource_id: poolId,
    created_at: at,
    updated_at: null,
  } as const
  const stored =
    present === undefined
      ? keys.insert(tx, secrets, made)
      : keys.update(tx, secrets, { ...present, ...change, updated_at: at })
  await stored.catch(duplicate)
  tx.wake(tsigkeysTopic)
  return present?.id ?? made.id
}

/** A key of this name that the pool has already: it becomes the catalog's. */
async function ofPool(tx: Tx, secrets: Secrets, name: string, poolId: string): Promise<Tsigkey | undefined> {
  const id = await idByName(tx, name)
  const key = id === undefined ? undefined : await keys.lock(tx, secrets, id)
  return key?.scope === 'POOL' && key.resource_id === poolId ? key : undefined
}

function duplicate(error: unknown): never {
  if (error instanceof UniqueViolation)
    fail('duplicate_tsigkey', 'Duplicate TsigKey: the key of a catalog goes by its name, and another has that name')
  throw error
}
