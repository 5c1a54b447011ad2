import { sql, type Tx } from '../../db/sql.ts'
import { type TransferAccept, type TransferRequest, transferAccept, transferRequest } from './fields.ts'

type Row = Record<string, unknown>

const asRequest = (row: Row | undefined): TransferRequest | undefined =>
  row === undefined ? undefined : transferRequest.fromRow(row)

/** Stores a new request; throws UniqueViolation when the zone has one that is open. */
export const insertRequest = (tx: Tx, row: TransferRequest): Promise<number> =>
  tx.run(sql`
    insert into transfer_requests (id, zone_id, project_id, target_project_id, description, key, status, created_at)
    values (${row.id}, ${row.zone_id}, ${row.project_id}, ${row.target_project_id}, ${row.description}, ${row.key},
      ${row.status}, ${row.created_at})`)

/** A request, whoever made it. */
export const getRequest = async (tx: Tx, id: string): Promise<TransferRequest | undefined> =>
  asRequest(await tx.get(sql`select * from transfer_request_rows where id = ${id}`))

/** As getRequest, and no other transaction changes it until this one ends. */
export async function lockRequest(tx: Tx, id: string): Promise<TransferRequest | undefined> {
  await tx.get(sql`select id from transfer_requests where id = ${id} ${tx.forUpdate}`)
  return getRequest(tx, id)
}

export const updateRequest = (tx: Tx, row: TransferRequest): Promise<number> =>
  tx.run(sql`
    update transfer_requests set target_project_id = ${row.target_project_id}, description = ${row.description},
      status = ${row.status}, updated_at = ${row.updated_at}
    where id = ${row.id}`)

/** Removes a request, and with it the record of who accepted it. */
export const removeRequest = (tx: Tx, id: string): Promise<number> =>
  tx.run(sql`delete from transfer_requests where id = ${id}`)

export const insertAccept = (tx: Tx, row: TransferAccept): Promise<number> =>
  tx.run(sql`
    insert into transfer_accepts (id, zone_transfer_request_id, zone_id, project_id, status, created_at, updated_at)
    values (${row.id}, ${row.zone_transfer_request_id}, ${row.zone_id}, ${row.project_id}, ${row.status},
      ${row.created_at}, ${row.updated_at})`)

/** An accept, whoever made it. */
export async function getAccept(tx: Tx, id: string): Promise<TransferAccept | undefined> {
  const row = await tx.get(sql`select * from transfer_accept_rows where id = ${id}`)
  return row === undefined ? undefined : transferAccept.fromRow(row)
}
