-- One row for each role of each process: when it last said that it is there.
create table service_statuses (
  id text not null primary key,
  service_name text not null,
  hostname text not null,
  -- Tells processes on one host apart, and is the same after a restart.
  instance text not null,
  stopped integer not null default 0,
  heartbeated_at text not null,
  created_at text not null,
  updated_at text,
  unique (service_name, hostname, instance)
);
