-- The addresses that projects have, where an administrator lists them.
create table reverse_addresses (
  id text not null primary key,
  address text not null,
  project_id text not null,
  region text not null,
  description text,
  created_at text not null,
  updated_at text,
  updated_key text not null generated always as (coalesce(updated_at, '')) stored
);
create unique index reverse_addresses_place on reverse_addresses (address, region);
create index reverse_addresses_address on reverse_addresses (address, id);
create index reverse_addresses_project on reverse_addresses (project_id, id);
create index reverse_addresses_region on reverse_addresses (region, id);
create index reverse_addresses_updated on reverse_addresses (updated_key, id);

-- Who gave an address its name, and the record set that holds it. Without one the name is on its way out, with this serial of its zone.
create table reverse_names (
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
create index reverse_names_project on reverse_names (project_id, source);
create index reverse_names_zone on reverse_names (zone_id);
create index reverse_names_recordset on reverse_names (recordset_id);
create index reverse_names_alias on reverse_names (alias_id);

-- As before, but that other sets of the service than SOA and NS are made like those of users.
drop view recordset_rows;
create view recordset_rows as
select r.id, r.zone_id, r.project_id, r.name, r.name_key, r.type, r.ttl, r.ttl_key, r.description, r.records, r.managed,
  r.serial, r.version, r.created_at, r.updated_at, r.updated_key, z.name as zone_name,
  case when z.trouble is not null and r.serial > z.published_serial then 'ERROR' when r.serial > z.published_serial then 'PENDING' else 'ACTIVE' end as status,
  case when r.serial <= z.published_serial then 'NONE' when r.version = 1 and (r.managed = 0 or r.type not in ('SOA', 'NS') or r.serial = z.created_serial) then 'CREATE' else 'UPDATE' end as action
from recordsets r join zones z on z.id = r.zone_id
where z.gone_at is null;
