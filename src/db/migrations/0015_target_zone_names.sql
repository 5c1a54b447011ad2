-- Whether a target has another zone of a name is asked before every zone that is given to it.
create index target_zones_name on target_zones (target_id, lower(name));
