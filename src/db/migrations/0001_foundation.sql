create table pools (
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
);
create index pools_by_created on pools (created_at, id);
create index pools_by_updated on pools (updated_key, id);

create table tlds (
  id text not null primary key,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  description text,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);
create unique index tlds_name on tlds (name_key);
create index tlds_by_created on tlds (created_at, id);
create index tlds_by_updated on tlds (updated_key, id);

create table blacklists (
  id text not null primary key,
  pattern text not null unique,
  description text,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);
create index blacklists_by_created on blacklists (created_at, id);
create index blacklists_by_updated on blacklists (updated_key, id);
