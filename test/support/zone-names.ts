import { sql, type Tx } from '../../src/db/sql.ts'

/** Has zones that were stored as rows alone be found by pieces of their names; PostgreSQL does so by itself. */
export async function addNames(tx: Tx): Promise<void> {
  if (tx.engine === 'postgres') return
  await tx.run(sql`
    insert into zone_names (zone_id, name_key)
    select id, name_key from zones where gone_at is null and id not in (select zone_id from zone_names) order by id`)
  await tx.run(sql`insert into zone_names_trigrams (zone_names_trigrams) values ('rebuild')`)
}
