-- Zone files that were sent to become zones, or to change them, and what came of each.
create table zone_imports (
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
);
create index zone_imports_project_id on zone_imports (project_id, id);
create index zone_imports_project_updated on zone_imports (project_id, updated_key, id);
create index zone_imports_project_status on zone_imports (project_id, status, id);
create index zone_imports_all_updated on zone_imports (updated_key, id);
create index zone_imports_pending on zone_imports (id) where status = 'PENDING';

-- The file, in pieces; gone once the import has ended.
create table import_chunks (
  import_id text not null,
  n integer not null,
  data blob not null,
  primary key (import_id, n)
);

create table import_faults (
  import_id text not null,
  n integer not null,
  faults text not null,
  primary key (import_id, n)
);

create table zone_exports (
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
create index zone_exports_project_id on zone_exports (project_id, id);
create index zone_exports_project_updated on zone_exports (project_id, updated_key, id);
create index zone_exports_project_status on zone_exports (project_id, status, id);
create index zone_exports_all_updated on zone_exports (updated_key, id);
