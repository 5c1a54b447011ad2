-- The names of zones that lists show, to find those that hold a piece of text. Rows that never change: those of zones
-- do with every record set. VACUUM may number rows anew, save by a primary key.
create table zone_names (
  number integer not null primary key,
  zone_id text not null,
  name_key text not null
);
create unique index zone_names_zone on zone_names (zone_id);
create virtual table zone_names_trigrams using fts5 (
  zone_id unindexed, name_key, content = 'zone_names', content_rowid = 'number',
  tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0
);
insert into zone_names (zone_id, name_key) select id, name_key from zones where gone_at is null order by id;
insert into zone_names_trigrams (zone_names_trigrams) values ('rebuild');

create trigger zone_names_added after insert on zone_names begin
  insert into zone_names_trigrams (rowid, zone_id, name_key) values (new.number, new.zone_id, new.name_key);
end;
create trigger zone_names_removed after delete on zone_names begin
  insert into zone_names_trigrams (zone_names_trigrams, rowid, zone_id, name_key)
  values ('delete', old.number, old.zone_id, old.name_key);
end;
create trigger zones_named after insert on zones when new.gone_at is null begin
  insert into zone_names (zone_id, name_key) values (new.id, new.name_key);
end;
create trigger zones_renamed after update of name, gone_at on zones begin
  delete from zone_names where zone_id = old.id;
  insert into zone_names (zone_id, name_key) select new.id, new.name_key where new.gone_at is null;
end;
create trigger zones_unnamed after delete on zones begin
  delete from zone_names where zone_id = old.id;
end;
