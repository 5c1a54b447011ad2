-- Those whom a zone is shared with are told what is wrong with it too.
drop view shared_zone_rows;
create view shared_zone_rows as
select s.target_project_id as shared_with, s.zone_id as id, z.pool_id, z.project_id, z.name, s.name_key, z.email,
  z.description, z.ttl, z.serial, z.shared, z.status, z.trouble, z.action, z.version, z.attributes, z.type, z.masters,
  z.created_at, z.updated_at, z.updated_key, z.transferred_at
from zone_shares s cross join zones z
where z.id = s.zone_id and z.gone_at is null;
