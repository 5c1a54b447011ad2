import type { Call } from '../../api/route.ts'
import type { Database } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { dropName } from './change.ts'
import { parseKey } from './rules.ts'
import type { AddressSource, Asker, Held } from './source.ts'
import * as store from './store.ts'

type Before = Omit<Call, 'tx'>

/** All addresses of the caller's project, asked of the source; names of those it no longer has are dropped. */
export async function allHeld(call: Before, db: Database, source: AddressSource): Promise<readonly Held[]> {
  const held = await source.all(askerOf(call, db))
  const owned = new Set(held.map(({ address }) => address))
  const stale = await db.read(async (tx) => [
    ...(await others(store.namesOf(tx, [...owned]), held)),
    ...(await store.namesBy(tx, call.caller.project_id, source.name)).filter(({ address }) => !owned.has(address)),
  ])
  await dropStale(call, db, stale)
  return held
}

/** The address a call names, asked of the source; a name that another project gave it is dropped. */
export async function oneHeld(call: Before, db: Database, source: AddressSource): Promise<Held> {
  const key = parseKey(call.params.floatingip_key!)
  const { project_id } = call.caller
  const held = await source.one(askerOf(call, db), key)
  if (held === undefined) {
    fail('not_found', `FloatingIP ${key.id} in ${key.region} is not associated for project "${project_id}"`)
  }
  await dropStale(call, db, await db.read((tx) => others(store.namesOf(tx, [held.address]), [held])))
  return held
}

const askerOf = ({ caller, headers }: Before, db: Database): Asker => {
  const token = headers['x-auth-token']
  return { project_id: caller.project_id, token: Array.isArray(token) ? token[0] : token, db }
}

/** Names that were given to addresses of a region by who does not have them any more. */
async function others(
  names: Promise<Map<string, store.ReverseName>>,
  held: readonly Held[],
): Promise<store.ReverseName[]> {
  const found = await names
  return held.flatMap((one) => {
    const name = found.get(one.address)
    return name !== undefined && name.region === one.region && !store.isOf(name, one) ? [name] : []
  })
}

const atOnce = 50

async function dropStale(call: Before, db: Database, stale: readonly store.ReverseName[]): Promise<void> {
  for (let from = 0; from < stale.length; from += atOnce) {
    await db.write(async (tx) => {
      for (const seen of stale.slice(from, from + atOnce)) {
        await store.lockName(tx, seen.address)
        const name = await store.nameOf(tx, seen.address)
        // In the meantime it may have been given a name by who has it now.
        if (name?.project_id === seen.project_id && name.address_id === seen.address_id) {
          await dropName({ ...call, tx }, name)
        }
      }
    })
  }
}
