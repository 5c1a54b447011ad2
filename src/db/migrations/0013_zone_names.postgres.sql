-- The names of zones that lists show, to find those that hold a piece of text. Rows that never change: those of zones
-- do with every record set, and each time every index of theirs has a new entry.
create table zone_names (
  zone_id text not null primary key,
  name_key text not null
);
insert into zone_names (zone_id, name_key) select id, name_key from zones where gone_at is null;

-- The owner of a database may have this extension since PostgreSQL 13. Where it is not to be had, searches look at rows.
do $$ begin
  create extension if not exists pg_trgm;
  create index zone_names_trigrams on zone_names using gin (name_key gin_trgm_ops) with (fastupdate = off);
exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then
  raise notice 'no index for pieces of names: %', sqlerrm;
end $$;

create function keep_zone_name() returns trigger language plpgsql as $$ begin
  if tg_op <> 'INSERT' then
    delete from zone_names where zone_id = old.id;
  end if;
  if tg_op <> 'DELETE' then
    insert into zone_names (zone_id, name_key) select new.id, new.name_key where new.gone_at is null;
  end if;
  return null;
end $$;
create trigger zones_named after insert or delete or update of name, gone_at on zones
for each row execute function keep_zone_name();
