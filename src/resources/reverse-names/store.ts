import { join, type Sql, sql, type Tx } from '../../db/sql.ts'
import { type Floatingip, type ReverseAddress, reverseAddress } from './fields.ts'
import type { Key } from './rules.ts'
import { type Held, mostAddresses } from './source.ts'

const parsed = (row: Record<string, unknown> | undefined): ReverseAddress | undefined =>
  row === undefined ? undefined : reverseAddress.fromRow(row)

/** Stores a new address; throws UniqueViolation when its region has it already. */
export const insert = (tx: Tx, row: ReverseAddress): Promise<number> =>
  tx.run(sql`
    insert into reverse_addresses (id, address, project_id, region, description, created_at)
    values (${row.id}, ${row.address}, ${row.project_id}, ${row.region}, ${row.description}, ${row.created_at})`)

export const get = async (tx: Tx, id: string): Promise<ReverseAddress | undefined> =>
  parsed(await tx.get(sql`select * from reverse_addresses where id = ${id}`))

/** As get, and no other transaction changes the row until this one ends. */
export const lock = async (tx: Tx, id: string): Promise<ReverseAddress | undefined> =>
  parsed(await tx.get(sql`select * from reverse_addresses where id = ${id} ${tx.forUpdate}`))

export const update = (tx: Tx, row: ReverseAddress): Promise<number> =>
  tx.run(sql`
    update reverse_addresses set project_id = ${row.project_id}, description = ${row.description}, updated_at = ${row.updated_at}
    where id = ${row.id}`)

export const remove = (tx: Tx, id: string): Promise<number> =>
  tx.run(sql`delete from reverse_addresses where id = ${id}`)

const held = sql`select region, id, address, project_id from reverse_addresses`

/** The listed addresses of a project. */
export const addressesOf = (tx: Tx, projectId: string): Promise<Held[]> =>
  tx.all(sql`${held} where project_id = ${projectId} order by id limit ${mostAddresses}`)

/** A listed address of a project. */
export const addressOf = (tx: Tx, projectId: string, { region, id }: Key): Promise<Held | undefined> =>
  tx.get(sql`${held} where id = ${id} and region = ${region} and project_id = ${projectId}`)

/** Whether a project can be given no more addresses. */
export async function isFull(tx: Tx, projectId: string): Promise<boolean> {
  const row = await tx.get<{ n: number }>(sql`
    select count(*) as n from (
      select 1 as one from reverse_addresses where project_id = ${projectId} limit ${mostAddresses}) as listed`)
  return row!.n >= mostAddresses
}

/** The name of an address as its row has it, with the state of the records that hold it. */
export type ReverseName = {
  readonly address: string
  readonly source: string
  readonly region: string
  readonly address_id: string
  readonly project_id: string
  readonly zone_id: string
  /** Null where the name is on its way out. */
  readonly recordset_id: string | null
  readonly alias_id: string | null
  readonly name: string | null
  readonly records: string | null
  readonly description: string | null
  /** What its set has, and what is served: its zone's where that is null. */
  readonly own_ttl: number | null
  readonly ttl: number
  readonly action: string
  readonly status: string
}

/** Names in zones that are there, and such as are on their way out of one. */
const names = (which: Sql): Sql => sql`
  select n.address, n.source, n.region, n.address_id, n.project_id, n.zone_id, n.recordset_id, n.alias_id,
    r.name, r.records, r.description, r.ttl as own_ttl, coalesce(r.ttl, z.ttl) as ttl, coalesce(r.action, 'DELETE') as action,
    coalesce(r.status, case when z.trouble is null then 'PENDING' else 'ERROR' end) as status
  from reverse_names n join zones z on z.id = n.zone_id left join recordset_rows r on r.id = n.recordset_id
  where ${which} and z.deleted_at is null and (n.removed_serial is null or n.removed_serial > z.published_serial)`

/** The name of an address, whoever gave it. */
export const nameOf = (tx: Tx, address: string): Promise<ReverseName | undefined> =>
  tx.get(names(sql`n.address = ${address}`))

/** Keeps others from changing the name of an address, where it has one. */
export const lockName = (tx: Tx, address: string): Promise<unknown> =>
  tx.get(sql`select 1 as one from reverse_names where address = ${address} ${tx.forUpdate}`)

const atOnce = 500

/** The names of addresses, whoever gave them, by address. */
export async function namesOf(tx: Tx, addresses: readonly string[]): Promise<Map<string, ReverseName>> {
  const found = new Map<string, ReverseName>()
  for (let from = 0; from < addresses.length; from += atOnce) {
    const some = addresses.slice(from, from + atOnce)
    for (const row of await tx.all<ReverseName>(names(sql`n.address in (${join(some)})`))) found.set(row.address, row)
  }
  return found
}

/** All names that a project gave to addresses a source knew. */
export const namesBy = (tx: Tx, projectId: string, source: string): Promise<ReverseName[]> =>
  tx.all(names(sql`n.project_id = ${projectId} and n.source = ${source}`))

/** Whether a name was given by who has the address now. */
export const isOf = (name: ReverseName, { region, id, project_id }: Held): boolean =>
  name.region === region && name.address_id === id && name.project_id === project_id

/** Which sets hold the name of an address. */
export async function putName(
  tx: Tx,
  { address, region, id, project_id }: Held,
  source: string,
  at: { readonly zone_id: string; readonly recordset_id: string; readonly alias_id: string | null },
): Promise<void> {
  await forgetName(tx, address)
  await tx.run(sql`
    insert into reverse_names (address, source, region, address_id, project_id, zone_id, recordset_id, alias_id)
    values (${address}, ${source}, ${region}, ${id}, ${project_id}, ${at.zone_id}, ${at.recordset_id}, ${at.alias_id})`)
}

/** Notes that a name has been on its way out since a serial of its zone. */
export const noteRemoval = (tx: Tx, name: ReverseName, serial: number): Promise<number> =>
  tx.run(sql`
    insert into reverse_names (address, source, region, address_id, project_id, zone_id, removed_serial)
    values (${name.address}, ${name.source}, ${name.region}, ${name.address_id}, ${name.project_id}, ${name.zone_id}, ${serial})`)

export const forgetName = (tx: Tx, address: string): Promise<number> =>
  tx.run(sql`delete from reverse_names where address = ${address}`)

/** An address as it is shown with its name, if it has one from who has the address. */
export function shownAddress(held: Held, name: ReverseName | undefined): Floatingip {
  const own = name !== undefined && isOf(name, held) ? name : undefined
  const ptrdname = own?.records == null ? undefined : (JSON.parse(own.records) as string[])[0]
  return {
    id: `${held.region}:${held.id}`,
    description: own?.description ?? null,
    address: held.address,
    ptrdname: ptrdname ?? null,
    ttl: ptrdname === undefined ? null : own!.ttl,
    action: own?.action ?? 'NONE',
    status: own?.status ?? 'INACTIVE',
  }
}

/** A zone that could hold the name of an address. */
export type HostedZone = {
  readonly id: string
  readonly name_key: string
  readonly project_id: string
  readonly type: string
}

/** The zones of these names; of those that several pools have, the one that is served. */
export async function zonesNamed(tx: Tx, wanted: readonly string[]): Promise<Map<string, HostedZone>> {
  const rows = await tx.all<HostedZone>(sql`
    select id, name_key, project_id, type from zones where name_key in (${join([...wanted])}) and deleted_at is null
    order by id desc`)
  return new Map(rows.map((row) => [row.name_key, row]))
}
