import { type Sql, sql, type Tx } from '../db/sql.ts'

/** What is known of the masters of a zone. */
export type State = {
  readonly zone_id: string
  readonly serial: number | null
  readonly held_serial: number | null
  readonly expires_at: string | null
  readonly failures: number
}

/** A zone as its refresh sees it. */
export type SecondaryZone = {
  readonly id: string
  readonly name: string
  readonly project_id: string
  readonly email: string
  readonly ttl: number
  readonly masters: string
  readonly refresh: number
  readonly retry: number
  readonly expire: number
  readonly serial: number
  readonly recordset_count: number
  readonly record_count: number
  readonly transferred_at: string | null
  readonly expired_at: string | null
  readonly partial: number
  readonly trouble: string | null
}

const columns = sql`id, name, project_id, email, ttl, masters, refresh, retry, expire, serial, recordset_count, record_count,
  transferred_at, expired_at, partial, trouble`

/** A secondary zone that is not deleted. */
export const zoneOf = (tx: Tx, id: string): Promise<SecondaryZone | undefined> =>
  tx.get(sql`select ${columns} from zones where id = ${id} and type = 'SECONDARY' and deleted_at is null`)

/** As zoneOf, and no other transaction changes the zone until this one ends. */
export const lockZone = (tx: Tx, id: string): Promise<SecondaryZone | undefined> =>
  tx.get(
    sql`select ${columns} from zones where id = ${id} and type = 'SECONDARY' and deleted_at is null ${tx.forUpdate}`,
  )

const isFree = (now: string): Sql => sql`(lease_until is null or lease_until < ${now})`

/** When there is something to do next; undefined when there is nothing to wait for. */
export async function nextDue(tx: Tx, now: string): Promise<string | undefined> {
  const asked = await tx.get<{ at: string }>(sql`select asked_at as at from zone_refreshes limit 1`)
  if (asked !== undefined) return asked.at
  const row = await tx.get<{ at: string }>(sql`
    select next_at as at from secondary_state where ${isFree(now)} order by next_at limit 1`)
  return row?.at
}

/** Whether there is any zone whose masters are to be asked, now or later. */
export const isAny = async (tx: Tx): Promise<boolean> =>
  (await tx.get(sql`
    select 1 as one where exists (select 1 from zone_refreshes) or exists (select 1 from secondary_state)`)) !==
  undefined

/** Makes the zones due whose masters were asked for. */
export async function takeAsked(tx: Tx, limit: number): Promise<void> {
  const asked = await tx.all<{ zone_id: string; asked_at: string }>(sql`
    select zone_id, asked_at from zone_refreshes order by asked_at, zone_id limit ${limit}`)
  for (const { zone_id, asked_at } of asked) {
    await tx.run(sql`
      insert into secondary_state (zone_id, next_at, asked_at) values (${zone_id}, ${asked_at}, ${asked_at})
      on conflict (zone_id) do update set next_at = excluded.next_at, asked_at = excluded.asked_at`)
    await tx.run(sql`delete from zone_refreshes where zone_id = ${zone_id} and asked_at = ${asked_at}`)
  }
}

export type Lease = { readonly holder: string; readonly now: string; readonly until: string }

/** Takes zones that are due and nobody works on. */
export async function claim(tx: Tx, { holder, now, until }: Lease, limit: number): Promise<State[]> {
  const due = await tx.all<{ zone_id: string }>(sql`
    select zone_id from secondary_state where next_at <= ${now} and ${isFree(now)} order by next_at, zone_id limit ${limit}`)
  const claimed: State[] = []
  for (const { zone_id } of due) {
    const row = await tx.get<State>(sql`
      update secondary_state set lease_holder = ${holder}, lease_until = ${until}, asked_at = null
      where zone_id = ${zone_id} and next_at <= ${now} and ${isFree(now)}
      returning zone_id, serial, held_serial, expires_at, failures`)
    if (row !== undefined) claimed.push(row)
  }
  return claimed
}

/** Keeps what is worked on from being taken by others. */
export const renew = (tx: Tx, holder: string, until: string): Promise<number> =>
  tx.run(sql`update secondary_state set lease_until = ${until} where lease_holder = ${holder}`)

/** Whether a zone is still the holder's, and stays so until this transaction ends. */
export const isHeld = async (tx: Tx, zoneId: string, holder: string): Promise<boolean> =>
  (await tx.run(sql`
    update secondary_state set lease_holder = ${holder} where zone_id = ${zoneId} and lease_holder = ${holder}`)) === 1

/** Ends every lease: for the one process that a data folder has, at its start. */
export const endLeases = (tx: Tx): Promise<number> =>
  tx.run(sql`update secondary_state set lease_holder = null, lease_until = null where lease_holder is not null`)

/** Gives zones back that were not done. */
export const release = (tx: Tx, zoneId: string, holder: string): Promise<number> =>
  tx.run(sql`
    update secondary_state set lease_holder = null, lease_until = null where zone_id = ${zoneId} and lease_holder = ${holder}`)

/** Forgets a zone that is not there any more. */
export const forget = (tx: Tx, zoneId: string): Promise<number> =>
  tx.run(sql`delete from secondary_state where zone_id = ${zoneId}`)

/** What a refresh found, in a zone's row of state; whoever asked meanwhile has it done at once again. */
export const finish = (tx: Tx, zoneId: string, holder: string, nextAt: string, set: Sql): Promise<number> =>
  tx.run(sql`
    update secondary_state set next_at = coalesce(asked_at, ${nextAt}), lease_holder = null, lease_until = null, ${set}
    where zone_id = ${zoneId} and lease_holder = ${holder}`)

/** Notes in a zone's row that its masters confirm what it holds. */
export async function confirm(
  tx: Tx,
  zone: Pick<SecondaryZone, 'id' | 'expired_at' | 'trouble'>,
  at: string,
): Promise<void> {
  if (zone.expired_at === null && zone.trouble === null) return
  await tx.run(sql`update zones set expired_at = null, trouble = null, changed_at = ${at} where id = ${zone.id}`)
  tx.wake(zone.id)
}

/** Notes in a zone's row what keeps it from being right; with `expired`, it is not served any more. */
export async function noteTrouble(tx: Tx, id: string, trouble: string, expired: boolean, at: string): Promise<void> {
  const noted = expired
    ? sql`update zones set trouble = ${trouble}, expired_at = coalesce(expired_at, ${at}), changed_at = ${at}
          where id = ${id} and deleted_at is null`
    : sql`update zones set trouble = ${trouble} where id = ${id} and deleted_at is null`
  if ((await tx.run(noted)) === 1 && expired) tx.wake(id)
}
