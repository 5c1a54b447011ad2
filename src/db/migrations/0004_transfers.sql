-- Who may take a pool's zones by transfer, beside those who hold one of its keys. No row: nobody else.
create table pool_transfers (
  pool_id text not null primary key references pools (id) on delete cascade,
  addresses text not null,
  require_key integer not null
);
