-- The names of new zones are added by statements of their own: a trigger makes SQLite keep a journal for each zone, and
-- write the index of pieces of names for each instead of once in a transaction.
drop trigger zones_named;
drop trigger zone_names_added;
drop trigger zones_renamed;
create trigger zones_renamed after update of name, gone_at on zones begin
  delete from zone_names where zone_id = old.id;
  insert into zone_names (zone_id, name_key) select new.id, new.name_key where new.gone_at is null;
  insert into zone_names_trigrams (rowid, zone_id, name_key) select number, zone_id, name_key from zone_names where zone_id = new.id;
end;
