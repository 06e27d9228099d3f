-- Up Migration

create table agent (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  widget_id uuid not null unique default gen_random_uuid(),
  name text not null,
  language text not null default 'en-US',
  status text not null default 'draft' check (status in ('draft', 'live', 'paused')),
  greeting text not null default '',
  variables text[] not null default '{}',
  created_at timestamptz not null default now(),
  unique (workspace_id, id)
);
call protect_table('agent');

-- The numbers from which a workspace calls.
create table phone_number (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  phone_number text not null,
  label text not null,
  country text not null,
  status text not null default 'active' check (status in ('active', 'retired')),
  created_at timestamptz not null default now(),
  unique (workspace_id, id),
  unique (workspace_id, phone_number)
);
call protect_table('phone_number');

create table campaign (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  name text not null,
  status text not null default 'active' check (status in ('active', 'paused', 'archived')),
  agent_id bigint not null,
  phone_number_id bigint not null,
  time_zone text not null,
  calling_hours jsonb not null,
  max_concurrent_calls int not null check (max_concurrent_calls between 1 and 100),
  retry jsonb not null,
  paused_reason text,
  -- Attempts in a row that failed because of the telephony provider. Too many pause the campaign.
  provider_failures int not null default 0,
  -- A call ID: queued calls with a greater ID have yet to follow the campaign's last change. Null if all have.
  reschedule_after_call_id bigint,
  created_at timestamptz not null default now(),
  unique (workspace_id, id),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id),
  foreign key (workspace_id, phone_number_id) references phone_number (workspace_id, id)
);
create index campaign_reschedule on campaign (id) where reschedule_after_call_id is not null;
call protect_table('campaign');

-- Which campaigns may have a call to claim, and since when, so that a claim costs the same with any number of campaigns
-- and calls. Triggers maintain it, and the function settle_campaigns says how they and the dialer can't miss each other.
--
-- It has no foreign key to the campaign: a transaction that updates a row twice, as settle_campaigns does, would check it
-- again, which locks the campaign. That's against the order of locks (platform/db/locks.ts).
create table campaign_queue (
  campaign_id bigint primary key,
  workspace_id bigint not null references workspace on delete cascade,
  -- When the campaign's turn comes: the earlier, the sooner. Null if it has no call to claim. It's never later than the time
  -- when a call of the campaign can be claimed. Making it earlier is always safe, because the next claim looks.
  claim_at timestamptz,
  -- The campaign is at its limit. The end of one of its attempts puts it in the queue again.
  at_limit boolean not null default false,
  -- Its last turn, by the database's clock.
  claimed_at timestamptz
) with (
  fillfactor = 70,
  -- Each claim updates up to 10 rows, all of them in indexes, and reads the first ones. With the default, which waits for a
  -- fifth of the rows, a claim would read many dead entries.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);
-- Which campaign is next.
create index campaign_queue_next on campaign_queue (claim_at) where claim_at is not null;
-- A dialer skips in it from one workspace to the next, so that it finds campaigns of others behind those of a workspace that
-- has many.
create index campaign_queue_workspace_next on campaign_queue (workspace_id, claim_at) where claim_at is not null;
-- When a workspace had its last turn.
create index campaign_queue_workspace on campaign_queue (workspace_id, claimed_at);
call protect_table('campaign_queue');
