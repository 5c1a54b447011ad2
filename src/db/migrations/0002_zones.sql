-- Locked while a zone is created, so that of two zones one above the other only one is looked at first.
create table name_roots (
  root text not null primary key
);

create table zones (
  id text not null primary key,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  -- The labels from the root down, in lower case: what lies below a name is one range of this column.
  tree_key text not null,
  type text not null,
  project_id text not null,
  pool_id text not null references pools (id),
  email text not null,
  description text,
  ttl integer not null,
  attributes text not null,
  masters text not null,
  shared integer not null default 0,
  -- The parts of the SOA that are not derived from the columns above.
  primary_ns text not null,
  contact text not null,
  refresh integer not null,
  retry integer not null,
  expire integer not null,
  minimum integer not null,
  ns_revision integer not null,
  serial bigint not null,
  created_serial bigint not null,
  published_serial bigint not null,
  trouble text,
  status text not null generated always as (case when trouble is not null then 'ERROR' when deleted_at is not null or serial > published_serial then 'PENDING' else 'ACTIVE' end) stored,
  action text not null generated always as (case when deleted_at is not null then 'DELETE' when serial <= published_serial then 'NONE' when serial = created_serial then 'CREATE' else 'UPDATE' end) stored,
  version integer not null,
  recordset_count integer not null,
  record_count integer not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored,
  transferred_at text,
  -- When it last changed in any way that those who follow zones care about.
  changed_at text not null,
  -- Asked to go: the name is free. Gone: no server has it any more; kept until it is purged.
  deleted_at text,
  gone_at text,
  purge_at text
);
create unique index zones_name on zones (name_key, pool_id) where deleted_at is null;
create index zones_tree on zones (tree_key) where deleted_at is null;
create index zones_pool on zones (pool_id, ns_revision, id) where deleted_at is null;
create index zones_changed on zones (changed_at, id);
create index zones_deleted on zones (purge_at) where deleted_at is not null;
create index zones_project_id on zones (project_id, id) where gone_at is null;
create index zones_project_name on zones (project_id, name_key, id) where gone_at is null;
create index zones_project_updated on zones (project_id, updated_key, id) where gone_at is null;
create index zones_project_serial on zones (project_id, serial, id) where gone_at is null;
create index zones_project_ttl on zones (project_id, ttl, id) where gone_at is null;
create index zones_project_status on zones (project_id, status, id) where gone_at is null;
create index zones_project_email on zones (project_id, email, id) where gone_at is null;
create index zones_all_id on zones (id) where gone_at is null;
create index zones_all_name on zones (name_key, id) where gone_at is null;
create index zones_all_updated on zones (updated_key, id) where gone_at is null;
create index zones_all_serial on zones (serial, id) where gone_at is null;
create index zones_all_ttl on zones (ttl, id) where gone_at is null;
create index zones_all_status on zones (status, id) where gone_at is null;

create table recordsets (
  id text not null primary key,
  zone_id text not null references zones (id),
  project_id text not null,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  tree_key text not null,
  type text not null,
  ttl integer,
  ttl_key integer not null generated always as (coalesce(ttl, -1)) stored,
  description text,
  records text not null,
  managed integer not null,
  serial bigint not null,
  version integer not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);
create unique index recordsets_place on recordsets (zone_id, name_key, type);
create index recordsets_tree on recordsets (zone_id, tree_key);
create index recordsets_zone_id on recordsets (zone_id, id);
create index recordsets_zone_updated on recordsets (zone_id, updated_key, id);
create index recordsets_zone_type on recordsets (zone_id, type, id);
create index recordsets_zone_ttl on recordsets (zone_id, ttl_key, id);
create index recordsets_project_id on recordsets (project_id, id);
create index recordsets_project_name on recordsets (project_id, name_key, id);
create index recordsets_project_updated on recordsets (project_id, updated_key, id);
create index recordsets_project_type on recordsets (project_id, type, id);
create index recordsets_project_ttl on recordsets (project_id, ttl_key, id);
create index recordsets_all_name on recordsets (name_key, id);

-- One row a record, to find record sets by what they hold. `canonical` is there when it differs from `data`.
create table records (
  recordset_id text not null references recordsets (id) on delete cascade,
  data text not null,
  canonical text
);
create index records_recordset on records (recordset_id);
-- By what records begin with: PostgreSQL has no index rows over 2,700 octets, and a record may have 65,535.
create index records_data on records (substr(data, 1, 255), recordset_id);
create index records_canonical on records (substr(canonical, 1, 255), recordset_id) where canonical is not null;

-- A record set as the API shows it: its status is a matter of its zone.
create view recordset_rows as
select r.id, r.zone_id, r.project_id, r.name, r.name_key, r.type, r.ttl, r.ttl_key, r.description, r.records, r.managed,
  r.serial, r.version, r.created_at, r.updated_at, r.updated_key, z.name as zone_name,
  case when z.trouble is not null and r.serial > z.published_serial then 'ERROR' when r.serial > z.published_serial then 'PENDING' else 'ACTIVE' end as status,
  case when r.serial <= z.published_serial then 'NONE' when r.version = 1 and (r.managed = 0 or r.serial = z.created_serial) then 'CREATE' else 'UPDATE' end as action
from recordsets r join zones z on z.id = r.zone_id
where z.gone_at is null;

-- Every change of what a zone answers, as the records it took away and added (see journal/change-rows.ts).
create table changes (
  zone_id text not null,
  serial bigint not null,
  previous bigint not null,
  removed blob not null,
  added blob not null,
  user_id text not null,
  project_id text not null,
  request_id text not null,
  at text not null,
  primary key (zone_id, serial)
);
create index changes_at on changes (at);

-- How many a project has, in several rows each so that writers seldom wait for one another.
create table counts (
  project_id text not null,
  what text not null,
  shard integer not null,
  n bigint not null,
  primary key (project_id, what, shard)
);
