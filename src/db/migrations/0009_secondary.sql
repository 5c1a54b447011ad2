-- SECONDARY zones: when no master could be asked for too long, and while what came from one is being written.
alter table zones add column expired_at text;
alter table zones add column partial integer not null default 0;

-- What is known of the masters of a SECONDARY zone, and who asks them.
create table secondary_state (
  zone_id text not null primary key references zones (id) on delete cascade,
  -- When the masters are to be asked next; at once when somebody asked for it.
  next_at text not null,
  asked_at text,
  -- The serial its masters had for what we hold, and the one we gave it.
  serial bigint,
  held_serial bigint,
  master text,
  checked_at text,
  expires_at text,
  failures integer not null default 0,
  last_error text,
  lease_holder text,
  lease_until text
);
create index secondary_state_next on secondary_state (next_at);

insert into zone_refreshes (zone_id, asked_at)
select id, created_at from zones where type = 'SECONDARY' and deleted_at is null
on conflict (zone_id) do nothing;
