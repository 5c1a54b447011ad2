-- Whose import is next depends on its size and on what its project has under way.
alter table zone_imports add column bytes bigint not null default 0;
drop index zone_imports_pending;
create index zone_imports_pending on zone_imports (id, project_id, bytes, lease_until) where status = 'PENDING';
