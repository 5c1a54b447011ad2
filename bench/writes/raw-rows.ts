import { encodeRecords } from '../../src/journal/change-rows.ts'

/** The zones that rows are added to, as a raw loop needs them. */
export type RawZone = { readonly id: string; readonly name: string; readonly tree_key: string }

/** What a new set of one record and a new SOA look like in the journal, byte for byte as long as ours. */
export function journalBytes(name: string): { removed: Uint8Array; added: Uint8Array } {
  const record = (type: number, length: number) => ({ name, type, class: 1, ttl: 3600, rdata: new Uint8Array(length) })
  return { removed: encodeRecords([record(6, 60)]), added: encodeRecords([record(6, 60), record(1, 4)]) }
}

/** Every row that the service writes for one new record set, and nothing else: `?` stands for values in the order given. */
export const statements = {
  zone: `update zones set serial = serial + 1, changed_at = ?, recordset_count = recordset_count + 1,
    record_count = record_count + 1 where id = ? returning serial`,
  change: `insert into changes (zone_id, serial, previous, removed, added, user_id, project_id, request_id, at)
    values (?, ?, ?, ?, ?, 'raw', 'bench', 'req-00000000-0000-0000-0000-000000000000', ?)`,
  soa: `update recordsets set records = ?, serial = ? where zone_id = ? and name_key = ? and type = 'SOA'`,
  set: `insert into recordsets (id, zone_id, project_id, name, tree_key, type, records, managed, serial, version, created_at)
    values (?, ?, 'bench', ?, ?, 'A', '["192.0.2.7"]', 0, ?, 1, ?)`,
  record: `insert into records (recordset_id, data) values (?, '192.0.2.7')`,
  counts: `insert into counts (project_id, what, shard, n) values ('bench', 'recordsets', ?, 1), ('bench', 'records', ?, 1)
    on conflict (project_id, what, shard) do update set n = counts.n + excluded.n`,
} as const
