-- What a project may have where that is not the default: null stands for the default, -1 for no limit.
create table quotas (
  project_id text not null primary key,
  zones integer,
  zone_recordsets integer,
  zone_records integer,
  recordset_records integer,
  api_export_size integer
);

create table tsigkeys (
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
create index tsigkeys_by_created on tsigkeys (created_at, id);
create index tsigkeys_by_updated on tsigkeys (updated_key, id);
create index tsigkeys_by_name on tsigkeys (name_key, id);
create index tsigkeys_by_resource on tsigkeys (resource_id, scope);

-- Which key the secrets of this database are encrypted with; one row.
create table secret_key (
  only_row integer not null primary key check (only_row = 1),
  key_id text not null
);
