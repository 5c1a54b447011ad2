import { sql, type Tx } from '../../db/sql.ts'
import type { Tld } from './fields.ts'

/** Stores a new one; throws UniqueViolation when its name is taken. */
export const insert = (tx: Tx, row: Tld): Promise<number> =>
  tx.run(sql`
    insert into tlds (id, name, description, created_at)
    values (${row.id}, ${row.name}, ${row.description}, ${row.created_at})`)

export const get = (tx: Tx, id: string): Promise<Tld | undefined> =>
  tx.get<Tld>(sql`select * from tlds where id = ${id}`)

/** As get, and no other transaction changes the row until this one ends. */
export const lock = (tx: Tx, id: string): Promise<Tld | undefined> =>
  tx.get<Tld>(sql`select * from tlds where id = ${id} ${tx.forUpdate}`)

/** Stores changes; throws UniqueViolation when the new name is taken. */
export const update = (tx: Tx, row: Tld): Promise<number> =>
  tx.run(sql`
    update tlds set name = ${row.name}, description = ${row.description}, updated_at = ${row.updated_at}
    where id = ${row.id}`)

export const remove = (tx: Tx, id: string): Promise<number> => tx.run(sql`delete from tlds where id = ${id}`)
