CREATE TABLE blacklists (
  id text not null primary key,
  pattern text not null unique,
  description text,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);

CREATE INDEX blacklists_by_created on blacklists (created_at, id);

CREATE INDEX blacklists_by_updated on blacklists (updated_key, id);

CREATE TABLE changes (
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

CREATE INDEX changes_at on changes (at);

CREATE TABLE counts (
  project_id text not null,
  what text not null,
  shard integer not null,
  n bigint not null,
  primary key (project_id, what, shard)
);

CREATE TABLE import_chunks (
  import_id text not null,
  n integer not null,
  data blob not null,
  primary key (import_id, n)
);

CREATE TABLE import_faults (
  import_id text not null,
  n integer not null,
  faults text not null,
  primary key (import_id, n)
);

CREATE TABLE name_roots (
  root text not null primary key
);

CREATE TABLE pool_also_notifies (
  id text not null primary key,
  pool_id text not null references pools (id) on delete cascade,
  host text not null,
  port integer not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored,
  unique (pool_id, host, port)
);

CREATE INDEX pool_also_notifies_pool on pool_also_notifies (pool_id, id);

CREATE TABLE pool_checks (
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

CREATE INDEX pool_checks_pending on pool_checks (created_at) where status <> 'COMPLETE';

CREATE INDEX pool_checks_pool on pool_checks (pool_id, id);

CREATE TABLE pool_delivery (
  pool_id text not null primary key references pools (id) on delete cascade,
  threshold_percentage integer not null,
  grace_seconds integer not null,
  catalog_zone text
);

CREATE TABLE pool_leases (
  pool_id text not null primary key references pools (id) on delete cascade,
  holder text,
  until text not null,
  fence bigint not null
);

CREATE TABLE pool_nameservers (
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

CREATE INDEX pool_nameservers_pool on pool_nameservers (pool_id, id);

CREATE TABLE pool_server_states (
  server_id text not null primary key,
  pool_id text not null references pools (id) on delete cascade,
  status text not null,
  since text not null,
  seen_at text,
  error text
);

CREATE INDEX pool_server_states_pool on pool_server_states (pool_id, server_id);

CREATE TABLE pool_targets (
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

CREATE INDEX pool_targets_pool on pool_targets (pool_id, id);

CREATE TABLE pool_transfers (
  pool_id text not null primary key references pools (id) on delete cascade,
  addresses text not null,
  require_key integer not null
);

CREATE TABLE pools (
  id text not null primary key,
  name text not null unique,
  description text,
  project_id text,
  attributes text not null,
  ns_records text not null,
  -- Counts the changes of ns_records; zones that were made with a lower number are made anew.
  ns_revision integer not null default 1,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
, delivered integer not null default 0);

CREATE INDEX pools_by_created on pools (created_at, id);

CREATE INDEX pools_by_updated on pools (updated_key, id);

CREATE TABLE quotas (
  project_id text not null primary key,
  zones integer,
  zone_recordsets integer,
  zone_records integer,
  recordset_records integer,
  api_export_size integer
);

CREATE TABLE records (
  recordset_id text not null references recordsets (id) on delete cascade,
  data text not null,
  canonical text
);

CREATE INDEX records_canonical on records (substr(canonical, 1, 255), recordset_id) where canonical is not null;

CREATE INDEX records_data on records (substr(data, 1, 255), recordset_id);

CREATE INDEX records_recordset on records (recordset_id);

CREATE VIEW recordset_rows as
select r.id, r.zone_id, r.project_id, r.name, r.name_key, r.type, r.ttl, r.ttl_key, r.description, r.records, r.managed,
  r.serial, r.version, r.created_at, r.updated_at, r.updated_key, z.name as zone_name,
  case when z.trouble is not null and r.serial > z.published_serial then 'ERROR' when r.serial > z.published_serial then 'PENDING' else 'ACTIVE' end as status,
  case when r.serial <= z.published_serial then 'NONE' when r.version = 1 and (r.managed = 0 or r.type not in ('SOA', 'NS') or r.serial = z.created_serial) then 'CREATE' else 'UPDATE' end as action
from recordsets r join zones z on z.id = r.zone_id
where z.gone_at is null;

CREATE TABLE recordsets (
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

CREATE INDEX recordsets_all_name on recordsets (name_key, id);

CREATE INDEX recordsets_all_ttl on recordsets (ttl_key, id);

CREATE INDEX recordsets_all_type on recordsets (type, id);

CREATE INDEX recordsets_all_updated on recordsets (updated_key, id);

CREATE UNIQUE INDEX recordsets_place on recordsets (zone_id, name_key, type);

CREATE INDEX recordsets_project_id on recordsets (project_id, id);

CREATE INDEX recordsets_project_name on recordsets (project_id, name_key, id);

CREATE INDEX recordsets_project_ttl on recordsets (project_id, ttl_key, id);

CREATE INDEX recordsets_project_type on recordsets (project_id, type, id);

CREATE INDEX recordsets_project_updated on recordsets (project_id, updated_key, id);

CREATE INDEX recordsets_tree on recordsets (zone_id, tree_key);

CREATE INDEX recordsets_zone_id on recordsets (zone_id, id);

CREATE INDEX recordsets_zone_ttl on recordsets (zone_id, ttl_key, id);

CREATE INDEX recordsets_zone_type on recordsets (zone_id, type, id);

CREATE INDEX recordsets_zone_updated on recordsets (zone_id, updated_key, id);

CREATE TABLE reverse_addresses (
  id text not null primary key,
  address text not null,
  project_id text not null,
  region text not null,
  description text,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);

CREATE INDEX reverse_addresses_address on reverse_addresses (address, id);

CREATE UNIQUE INDEX reverse_addresses_place on reverse_addresses (address, region);

CREATE INDEX reverse_addresses_project on reverse_addresses (project_id, id);

CREATE INDEX reverse_addresses_region on reverse_addresses (region, id);

CREATE INDEX reverse_addresses_updated on reverse_addresses (updated_key, id);

CREATE TABLE reverse_names (
  address text not null primary key,
  source text not null,
  region text not null,
  address_id text not null,
  project_id text not null,
  zone_id text not null references zones (id) on delete cascade,
  recordset_id text references recordsets (id) on delete cascade,
  -- The CNAME that leads to it from the zone above, where its own is a classless one (RFC 2317).
  alias_id text references recordsets (id) on delete set null,
  removed_serial bigint
);

CREATE INDEX reverse_names_alias on reverse_names (alias_id);

CREATE INDEX reverse_names_project on reverse_names (project_id, source);

CREATE INDEX reverse_names_recordset on reverse_names (recordset_id);

CREATE INDEX reverse_names_zone on reverse_names (zone_id);

CREATE TABLE schema_migrations (
    number integer primary key,
    name text not null,
    applied_at text not null
  );

CREATE TABLE secondary_state (
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

CREATE INDEX secondary_state_next on secondary_state (next_at);

CREATE TABLE secret_key (
  only_row integer not null primary key check (only_row = 1),
  key_id text not null
);

CREATE TABLE service_statuses (
  id text not null primary key,
  service_name text not null,
  hostname text not null,
  -- Tells processes on one host apart, and is the same after a restart.
  instance text not null,
  stopped integer not null default 0,
  heartbeated_at text not null,
  created_at text not null,
  updated_at text,
  unique (service_name, hostname, instance)
);

CREATE VIEW shared_zone_rows as
select s.target_project_id as shared_with, s.zone_id as id, z.pool_id, z.project_id, z.name, s.name_key, z.email,
  z.description, z.ttl, z.serial, z.shared, z.status, z.trouble, z.action, z.version, z.attributes, z.type, z.masters,
  z.created_at, z.updated_at, z.updated_key, z.transferred_at
from zone_shares s cross join zones z
where z.id = s.zone_id and z.gone_at is null;

CREATE TABLE staged_sets (
  -- What a set that is new to the zone will have.
  id text not null,
  staging_id text not null,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  type text not null,
  ttl integer not null,
  records text not null
);

CREATE UNIQUE INDEX staged_sets_place on staged_sets (staging_id, name_key, type);

CREATE TABLE target_zones (
  target_id text not null references pool_targets (id) on delete cascade,
  zone_id text not null,
  name text not null,
  added_at text,
  -- The zone is another pool's now: it is dropped here once this serial is published there.
  leave_serial bigint,
  error text,
  primary key (target_id, zone_id)
);

CREATE INDEX target_zones_name on target_zones (target_id, lower(name));

CREATE INDEX target_zones_zone on target_zones (zone_id);

CREATE TABLE tlds (
  id text not null primary key,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  description text,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);

CREATE INDEX tlds_by_created on tlds (created_at, id);

CREATE INDEX tlds_by_updated on tlds (updated_key, id);

CREATE UNIQUE INDEX tlds_name on tlds (name_key);

CREATE VIEW transfer_accept_rows as
select id, zone_transfer_request_id, zone_id, project_id, cast(null as text) as key, status, created_at, updated_at, updated_key
from transfer_accepts;

CREATE TABLE transfer_accepts (
  id text not null primary key,
  zone_transfer_request_id text not null references transfer_requests (id) on delete cascade,
  zone_id text not null,
  project_id text not null,
  status text not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);

CREATE INDEX transfer_accepts_all_updated on transfer_accepts (updated_key, id);

CREATE INDEX transfer_accepts_project_id on transfer_accepts (project_id, id);

CREATE INDEX transfer_accepts_project_updated on transfer_accepts (project_id, updated_key, id);

CREATE INDEX transfer_accepts_request on transfer_accepts (zone_transfer_request_id);

CREATE VIEW transfer_request_rows as
select r.id, r.zone_id, r.project_id, r.target_project_id, r.description, r.key, r.status, r.created_at, r.updated_at,
  r.updated_key, z.name as zone_name
from transfer_requests r join zones z on z.id = r.zone_id
where z.gone_at is null;

CREATE TABLE transfer_requests (
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

CREATE UNIQUE INDEX transfer_requests_active on transfer_requests (zone_id) where status = 'ACTIVE';

CREATE INDEX transfer_requests_all_updated on transfer_requests (updated_key, id);

CREATE INDEX transfer_requests_project_id on transfer_requests (project_id, id);

CREATE INDEX transfer_requests_project_updated on transfer_requests (project_id, updated_key, id);

CREATE INDEX transfer_requests_target_id on transfer_requests (target_project_id, id);

CREATE INDEX transfer_requests_target_updated on transfer_requests (target_project_id, updated_key, id);

CREATE INDEX transfer_requests_zone on transfer_requests (zone_id);

CREATE TABLE tsigkeys (
  id text not null primary key,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  -- The name as it stands in messages: whole, in lower case.
  dns_name text not null unique,
  algorithm text not null,
  -- Encrypted (see secrets.ts).
  secret text not null,
  scope text not null,
  resource_id text not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);

CREATE INDEX tsigkeys_by_created on tsigkeys (created_at, id);

CREATE INDEX tsigkeys_by_name on tsigkeys (name_key, id);

CREATE INDEX tsigkeys_by_resource on tsigkeys (resource_id, scope);

CREATE INDEX tsigkeys_by_updated on tsigkeys (updated_key, id);

CREATE TABLE zone_exports (
  id text not null primary key,
  project_id text not null,
  zone_id text not null,
  status text not null,
  message text,
  location text,
  version integer not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);

CREATE INDEX zone_exports_all_updated on zone_exports (updated_key, id);

CREATE INDEX zone_exports_project_id on zone_exports (project_id, id);

CREATE INDEX zone_exports_project_status on zone_exports (project_id, status, id);

CREATE INDEX zone_exports_project_updated on zone_exports (project_id, updated_key, id);

CREATE TABLE zone_imports (
  id text not null primary key,
  project_id text not null,
  status text not null,
  message text,
  zone_id text,
  mode text not null,
  dry_run integer not null,
  -- What the zone is called where the file does not say, or which zone is meant.
  origin text,
  attributes text not null,
  -- Who asked, as JSON: the work is done later, in their name.
  author text not null,
  progress text not null,
  fault_count integer not null default 0,
  -- The first faults; all of them are in import_faults.
  faults text not null default '[]',
  difference text,
  -- The zone, hidden until it is whole, that the content is put into.
  staging_id text,
  -- Who works on it, and until when others leave it alone.
  lease_holder text,
  lease_until text,
  attempts integer not null default 0,
  version integer not null,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
, bytes bigint not null default 0);

CREATE INDEX zone_imports_all_updated on zone_imports (updated_key, id);

CREATE INDEX zone_imports_pending on zone_imports (id, project_id, bytes, lease_until) where status = 'PENDING';

CREATE INDEX zone_imports_project_id on zone_imports (project_id, id);

CREATE INDEX zone_imports_project_status on zone_imports (project_id, status, id);

CREATE INDEX zone_imports_project_updated on zone_imports (project_id, updated_key, id);

CREATE TABLE zone_names (
  number integer not null primary key,
  zone_id text not null,
  name_key text not null
);

CREATE TRIGGER zone_names_removed after delete on zone_names begin
  insert into zone_names_trigrams (zone_names_trigrams, rowid, zone_id, name_key)
  values ('delete', old.number, old.zone_id, old.name_key);
end;

CREATE UNIQUE INDEX zone_names_zone on zone_names (zone_id);

CREATE VIRTUAL TABLE zone_names_trigrams using fts5 (
  zone_id unindexed, name_key, content = 'zone_names', content_rowid = 'number',
  tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0
);

CREATE TABLE 'zone_names_trigrams_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'zone_names_trigrams_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'zone_names_trigrams_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE zone_refreshes (
  zone_id text not null primary key references zones (id) on delete cascade,
  asked_at text not null
);

CREATE TABLE zone_servers (
  zone_id text not null references zones (id) on delete cascade,
  server_id text not null,
  serial bigint,
  seen_at text,
  error text,
  error_at text,
  primary key (zone_id, server_id)
);

CREATE INDEX zone_servers_server on zone_servers (server_id, zone_id);

CREATE TABLE zone_shares (
  id text not null primary key,
  zone_id text not null references zones (id) on delete cascade,
  project_id text not null,
  target_project_id text not null,
  -- That of the zone, which never changes: lists of zones are mostly sorted and searched by it.
  name_key text not null,
  created_at text not null,
  updated_at text
);

CREATE INDEX zone_shares_name on zone_shares (target_project_id, name_key, zone_id);

CREATE UNIQUE INDEX zone_shares_target on zone_shares (target_project_id, zone_id);

CREATE INDEX zone_shares_zone on zone_shares (zone_id, id);

CREATE TABLE zones (
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
, expired_at text, partial integer not null default 0);

CREATE INDEX zones_all_email on zones (email, id) where gone_at is null;

CREATE INDEX zones_all_id on zones (id) where gone_at is null;

CREATE INDEX zones_all_name on zones (name_key, id) where gone_at is null;

CREATE INDEX zones_all_serial on zones (serial, id) where gone_at is null;

CREATE INDEX zones_all_status on zones (status, id) where gone_at is null;

CREATE INDEX zones_all_ttl on zones (ttl, id) where gone_at is null;

CREATE INDEX zones_all_updated on zones (updated_key, id) where gone_at is null;

CREATE INDEX zones_changed on zones (changed_at, id);

CREATE INDEX zones_deleted on zones (purge_at) where deleted_at is not null;

CREATE INDEX zones_leaving on zones (pool_id, id) where deleted_at is not null and gone_at is null;

CREATE UNIQUE INDEX zones_name on zones (name_key, pool_id) where deleted_at is null;

CREATE INDEX zones_pool on zones (pool_id, ns_revision, id) where deleted_at is null;

CREATE INDEX zones_project_email on zones (project_id, email, id) where gone_at is null;

CREATE INDEX zones_project_id on zones (project_id, id) where gone_at is null;

CREATE INDEX zones_project_name on zones (project_id, name_key, id) where gone_at is null;

CREATE INDEX zones_project_serial on zones (project_id, serial, id) where gone_at is null;

CREATE INDEX zones_project_status on zones (project_id, status, id) where gone_at is null;

CREATE INDEX zones_project_ttl on zones (project_id, ttl, id) where gone_at is null;

CREATE INDEX zones_project_updated on zones (project_id, updated_key, id) where gone_at is null;

CREATE TRIGGER zones_renamed after update of name, gone_at on zones begin
  delete from zone_names where zone_id = old.id;
  insert into zone_names (zone_id, name_key) select new.id, new.name_key where new.gone_at is null;
  insert into zone_names_trigrams (rowid, zone_id, name_key) select number, zone_id, name_key from zone_names where zone_id = new.id;
end;

CREATE INDEX zones_tree on zones (tree_key) where deleted_at is null;

CREATE TRIGGER zones_unnamed after delete on zones begin
  delete from zone_names where zone_id = old.id;
end;
