-- Zones that other projects may see, and add record sets of their own to.
create table zone_shares (
  id text not null primary key,
  zone_id text not null references zones (id) on delete cascade,
  project_id text not null,
  target_project_id text not null,
  -- That of the zone, which never changes: lists of zones are mostly sorted and searched by it.
  name_key text not null,
  created_at text not null,
  updated_at text
);
create unique index zone_shares_target on zone_shares (target_project_id, zone_id);
create index zone_shares_name on zone_shares (target_project_id, name_key, zone_id);
create index zone_shares_zone on zone_shares (zone_id, id);

-- Zones with each project they are shared with. Their id and name are read from the share's row, so that a project's
-- shared zones are one walk of an index above; SQLite reads a cross join in the order it is written.
create view shared_zone_rows as
select s.target_project_id as shared_with, s.zone_id as id, z.pool_id, z.project_id, z.name, s.name_key, z.email,
  z.description, z.ttl, z.serial, z.shared, z.status, z.action, z.version, z.attributes, z.type, z.masters,
  z.created_at, z.updated_at, z.updated_key, z.transferred_at
from zone_shares s cross join zones z
where z.id = s.zone_id and z.gone_at is null;

-- Offers of a zone to another project; a zone has at most one that is open.
create table transfer_requests (
  id text not null primary key,
  zone_id text not null references zones (id) on delete cascade,
  project_id text not null,
  target_project_id text,
  description text,
  key text not null,
  status text not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);
create unique index transfer_requests_active on transfer_requests (zone_id) where status = 'ACTIVE';
create index transfer_requests_zone on transfer_requests (zone_id);
create index transfer_requests_project_id on transfer_requests (project_id, id);
create index transfer_requests_project_updated on transfer_requests (project_id, updated_key, id);
create index transfer_requests_target_id on transfer_requests (target_project_id, id);
create index transfer_requests_target_updated on transfer_requests (target_project_id, updated_key, id);
create index transfer_requests_all_updated on transfer_requests (updated_key, id);

create view transfer_request_rows as
select r.id, r.zone_id, r.project_id, r.target_project_id, r.description, r.key, r.status, r.created_at, r.updated_at,
  r.updated_key, z.name as zone_name
from transfer_requests r join zones z on z.id = r.zone_id
where z.gone_at is null;

create table transfer_accepts (
  id text not null primary key,
  zone_transfer_request_id text not null references transfer_requests (id) on delete cascade,
  zone_id text not null,
  project_id text not null,
  status text not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);
create index transfer_accepts_request on transfer_accepts (zone_transfer_request_id);
create index transfer_accepts_project_id on transfer_accepts (project_id, id);
create index transfer_accepts_project_updated on transfer_accepts (project_id, updated_key, id);
create index transfer_accepts_all_updated on transfer_accepts (updated_key, id);

-- The key is told once, to who gave it.
create view transfer_accept_rows as
select id, zone_transfer_request_id, zone_id, project_id, cast(null as text) as key, status, created_at, updated_at, updated_key
from transfer_accepts;

-- SECONDARY zones whose masters are to be asked at once.
create table zone_refreshes (
  zone_id text not null primary key references zones (id) on delete cascade,
  asked_at text not null
);

-- Records are counted from here on too, for the project that owns their zone.
insert into counts (project_id, what, shard, n)
select project_id, 'records', 0, sum(record_count) from zones where gone_at is null group by project_id;
