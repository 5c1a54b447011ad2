-- Whether other servers than the built-in one answer for the zones of a pool: then they decide what is published.
alter table pools add column delivered integer not null default 0;

create table pool_targets (
  id text not null primary key,
  pool_id text not null references pools (id) on delete cascade,
  type text not null,
  description text,
  tsigkey_id text,
  masters text not null,
  options text not null,
  -- Those options that are secrets, encrypted (see secrets.ts).
  secrets text,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);
create index pool_targets_pool on pool_targets (pool_id, id);

create table pool_nameservers (
  id text not null primary key,
  pool_id text not null references pools (id) on delete cascade,
  host text not null,
  port integer not null,
  tsigkey_id text,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored,
  unique (pool_id, host, port)
);
create index pool_nameservers_pool on pool_nameservers (pool_id, id);

create table pool_also_notifies (
  id text not null primary key,
  pool_id text not null references pools (id) on delete cascade,
  host text not null,
  port integer not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored,
  unique (pool_id, host, port)
);
create index pool_also_notifies_pool on pool_also_notifies (pool_id, id);

-- What a pool's servers must have shown before a zone counts as published, and its catalog zone.
create table pool_delivery (
  pool_id text not null primary key references pools (id) on delete cascade,
  threshold_percentage integer not null,
  grace_seconds integer not null,
  catalog_zone text
);

-- Who delivers a pool. Whoever takes it over gets a higher fence, and what is done with a lower one is refused.
create table pool_leases (
  pool_id text not null primary key references pools (id) on delete cascade,
  holder text,
  until text not null,
  fence bigint not null
);

-- What each server of a pool was last seen to be: a name server, or a target that no name server stands for.
create table pool_server_states (
  server_id text not null primary key,
  pool_id text not null references pools (id) on delete cascade,
  status text not null,
  since text not null,
  seen_at text,
  error text
);
create index pool_server_states_pool on pool_server_states (pool_id, server_id);

-- The serial a server was last seen to have of a zone; without one, it did not have it.
create table zone_servers (
  zone_id text not null references zones (id) on delete cascade,
  server_id text not null,
  serial bigint,
  seen_at text,
  error text,
  error_at text,
  primary key (zone_id, server_id)
);
create index zone_servers_server on zone_servers (server_id, zone_id);

-- Zones that a target has or may have. The row is there before the zone is, and goes after it, also when the zone's own row went first.
create table target_zones (
  target_id text not null references pool_targets (id) on delete cascade,
  zone_id text not null,
  name text not null,
  added_at text,
  -- The zone is another pool's now: it is dropped here once this serial is published there.
  leave_serial bigint,
  error text,
  primary key (target_id, zone_id)
);
create index target_zones_zone on target_zones (zone_id);

-- What somebody wants to know of a pool's servers, and what was found.
create table pool_checks (
  id text not null primary key,
  pool_id text not null references pools (id) on delete cascade,
  depth text not null,
  status text not null,
  findings text not null,
  zones_checked integer not null default 0,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);
create index pool_checks_pool on pool_checks (pool_id, id);
create index pool_checks_pending on pool_checks (created_at) where status <> 'COMPLETE';
