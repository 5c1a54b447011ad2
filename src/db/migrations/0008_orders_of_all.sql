-- For administrators who list across projects.
create index zones_all_email on zones (email, id) where gone_at is null;
create index recordsets_all_updated on recordsets (updated_key, id);
create index recordsets_all_type on recordsets (type, id);
create index recordsets_all_ttl on recordsets (ttl_key, id);
