import type { Call } from '../../api/route.ts'
import type { Database } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { dropName } from './change.ts'
import { type Key, parseKey } from './rules.ts'
import type { AddressSource, Asker, Held } from './source.ts'
import * as store from './store.ts'

type Before = Omit<Call, 'tx'>

/** All addresses of the caller's project, asked of the source; names of those it no longer has are dropped. */
export async function allHeld(call: Before, db: Database, source: AddressSource): Promise<readonly Held[]> {
  const { project_id } = call.caller
  const ask = () => source.all(askerOf(call, db))
  const held = await ask()
  const names = await db.read(async (tx) => [
    ...(await store.namesOf(tx, [...new Set(held.map(({ address }) => address))])).values(),
    ...(await store.namesBy(tx, project_id, source.name)),
  ])
  const wasCurrent = currentAmong(held, project_id)
  const stale = names.filter((name) => !wasCurrent(name))
  if (stale.length === 0) return held
  // They may have been given since the source was asked: what it says now is true of them.
  const now = await ask()
  const isCurrent = currentAmong(now, project_id)
  await dropStale(
    call,
    db,
    stale.filter((name) => !isCurrent(name)),
  )
  return now
}

/** The address a call names, asked of the source; a name that another project gave it is dropped. */
export async function oneHeld(call: Before, db: Database, source: AddressSource): Promise<Held> {
  const key = parseKey(call.params.floatingip_key!)
  const { project_id } = call.caller
  const ask = async () => (await source.one(askerOf(call, db), key)) ?? notHeld(key, project_id)
  const held = await ask()
  const name = await db.read((tx) => store.nameOf(tx, held.address))
  if (name === undefined || currentAmong([held], project_id)(name)) return held
  const now = await ask()
  if (now.address === held.address && !currentAmong([now], project_id)(name)) await dropStale(call, db, [name])
  return now
}

/** Refuses a call for an address that its project does not have. */
export const notHeld = ({ id, region }: Key, project: string): never =>
  fail('not_found', `FloatingIP ${id} in ${region} is not associated for project "${project}"`)

const askerOf = ({ caller, headers }: Before, db: Database): Asker => {
  const token = headers['x-auth-token']
  return { project_id: caller.project_id, token: Array.isArray(token) ? token[0] : token, db }
}

/** Tells of names whether who gave them has their address, as far as is known of a project. */
function currentAmong(held: readonly Held[], project_id: string): (name: store.ReverseName) => boolean {
  const at = Map.groupBy(held, ({ address }) => address)
  return (name) =>
    at.get(name.address)?.every((one) => one.region !== name.region || store.isOf(name, one)) ??
    name.project_id !== project_id
}

const atOnce = 50

async function dropStale(call: Before, db: Database, stale: readonly store.ReverseName[]): Promise<void> {
  for (let from = 0; from < stale.length; from += atOnce) {
    await db.write(async (tx) => {
      for (const seen of stale.slice(from, from + atOnce)) {
        await store.lockName(tx, seen.address)
        const name = await store.nameOf(tx, seen.address)
        // In the meantime it may have been given another.
        if (
          name !== undefined &&
          store.isOf(name, { ...seen, id: seen.address_id }) &&
          name.recordset_id === seen.recordset_id
        )
          await dropName({ ...call, tx }, name)
      }
    })
  }
}
