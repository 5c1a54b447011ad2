import { sql, type Tx } from '../db/sql.ts'
import { otherKey, type Secrets } from '../secrets.ts'
import { Trouble } from '../trouble.ts'

/** Refuses to go on with another key than the one this database's secrets are encrypted with; a new database takes ours. */
export async function mustBeKeyOf(tx: Tx, secrets: Secrets): Promise<void> {
  await tx.run(sql`insert into secret_key (only_row, key_id) values (1, ${secrets.keyId}) on conflict do nothing`)
  const row = await tx.get<{ key_id: string }>(sql`select key_id from secret_key`)
  if (row!.key_id === secrets.keyId) return
  throw new Trouble(`the database holds secrets we cannot read: ${otherKey(row!.key_id, secrets.keyId)}`)
}
