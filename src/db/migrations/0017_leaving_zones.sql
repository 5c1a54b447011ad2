-- Deleted zones that some server may still have: few, and looked for at every start among all zones.
create index zones_leaving on zones (pool_id, id) where deleted_at is not null and gone_at is null;
