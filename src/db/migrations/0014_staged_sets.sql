-- What the file of an import holds that changes a zone, until it is compared with that zone.
create table staged_sets (
  -- What a set that is new to the zone will have.
  id text not null,
  staging_id text not null,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  type text not null,
  ttl integer not null,
  records text not null
);
create unique index staged_sets_place on staged_sets (staging_id, name_key, type);
