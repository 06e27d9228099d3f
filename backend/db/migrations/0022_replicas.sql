-- Up Migration

-- The processes that share this database. Each one updates its row every two seconds.
create table replica (
  id text primary key,
  role text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
call protect_table('replica', null);
