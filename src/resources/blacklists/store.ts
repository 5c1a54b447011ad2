import { sql, type Tx } from '../../db/sql.ts'
import type { Blacklist } from './fields.ts'

/** Stores a new one; throws UniqueViolation when its pattern is taken. */
export const insert = (tx: Tx, row: Blacklist): Promise<number> =>
  tx.run(sql`
    insert into blacklists (id, pattern, description, created_at)
    values (${row.id}, ${row.pattern}, ${row.description}, ${row.created_at})`)

export const get = (tx: Tx, id: string): Promise<Blacklist | undefined> =>
  tx.get<Blacklist>(sql`select * from blacklists where id = ${id}`)

/** As get, and no other transaction changes the row until this one ends. */
export const lock = (tx: Tx, id: string): Promise<Blacklist | undefined> =>
  tx.get<Blacklist>(sql`select * from blacklists where id = ${id} ${tx.forUpdate}`)

/** Stores changes; throws UniqueViolation when the new pattern is taken. */
export const update = (tx: Tx, row: Blacklist): Promise<number> =>
  tx.run(sql`
    update blacklists set pattern = ${row.pattern}, description = ${row.description}, updated_at = ${row.updated_at}
    where id = ${row.id}`)

export const remove = (tx: Tx, id: string): Promise<number> => tx.run(sql`delete from blacklists where id = ${id}`)
