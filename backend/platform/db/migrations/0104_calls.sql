-- Up Migration

create table call (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  campaign_id bigint not null,
  contact_id bigint not null,
  agent_id bigint not null,
  phone_number_id bigint not null,
  status text not null default 'queued' check (status in ('queued', 'dialing', 'in_progress', 'completed')),
  outcome text check (outcome in (
    'answered', 'voicemail', 'no_answer', 'busy', 'declined', 'failed', 'suppressed', 'expired', 'canceled'
  )),
  ended_reason text,
  test boolean not null default false,
  -- True if `if_already_queued: queue` added it to an open call.
  additional boolean not null default false,
  from_number text not null,
  to_number text not null,
  attempts int not null default 0,
  scheduled_at timestamptz,
  queued_at timestamptz not null,
  -- When it became due (queued, scheduled, or retried), and the first time after it that calling hours permit.
  due_at timestamptz not null,
  next_attempt_at timestamptz,
  answered_at timestamptz,
  ended_at timestamptz,
  duration_seconds int,
  summary text,
  transcript jsonb not null default '[]',
  sentiment text not null default 'unknown',
  goal_met boolean,
  extracted jsonb not null default '{}',
  recording_url text,
  metadata jsonb not null default '{}',
  -- Who or what queued it: {kind, id, call_id, user_id, name}. `name` is the name of an imported file. Erasing the contact
  -- removes it, because it's free text.
  origin jsonb,
  -- The settings that were in effect when it was queued: those of its campaign, agent, and contact.
  queued_with jsonb,
  -- Who canceled it: {kind, id, user_id}, like the origin. Null if it ended in another way.
  canceled_by jsonb,
  -- The contact as it was when the call's event was written, as the API shows it. Null until then, and after the contact
  -- was erased.
  completed_contact jsonb,
  -- Set when the conversation ends and its analysis is still to come. The event waits for it, at most until then.
  analysis_until timestamptz,
  -- When what was said was erased, because it was older than the workspace's retention.
  conversation_erased_at timestamptz,
  foreign key (workspace_id, campaign_id) references campaign (workspace_id, id),
  foreign key (workspace_id, contact_id) references contact (workspace_id, id),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id),
  foreign key (workspace_id, phone_number_id) references phone_number (workspace_id, id),
  check ((status = 'completed') = (outcome is not null)),
  check ((status = 'queued') = (next_attempt_at is not null))
);
call protect_table('call');

-- Each change of a call's status adds an entry to every index that contains the call. So there's an index only if no other
-- one finds the same rows. A number and a contact have few calls, so call_number and call_contact find the open ones. Nearly
-- all calls are real ones, so call_list finds them.

create unique index call_open_once on call (campaign_id, contact_id, test)
  where status <> 'completed' and not additional;
comment on index call_open_once is 'Prevents two open calls to a contact in a campaign';
create index call_open_additional on call (campaign_id, contact_id, test) where status <> 'completed' and additional;
comment on index call_open_additional is 'A contact''s open calls that were added to the first one';

create index call_due on call (campaign_id, next_attempt_at, id) where status = 'queued' and not test;
comment on index call_due is 'The next calls of a campaign, for the dialer';
create index call_due_test on call (next_attempt_at, id) where status = 'queued' and test;
comment on index call_due_test is 'The next test calls, for the dialer';
create index call_waiting on call (due_at) where status = 'queued';
comment on index call_waiting is 'Calls that have waited too long, for the sweeper';
create index call_analysis on call (analysis_until) where analysis_until is not null;
comment on index call_analysis is 'Calls whose event waits for the analysis, for the sweeper';

-- In order of ID for rescheduling. The included columns answer how many calls wait for what.
create index call_queue_of_campaign on call (workspace_id, campaign_id, id)
  include (agent_id, phone_number_id, test, attempts, due_at, next_attempt_at) where status = 'queued';
comment on index call_queue_of_campaign is 'Rescheduling a campaign, and the overview''s counts of waiting calls';
create index call_open_of_campaign on call (workspace_id, campaign_id, status) where status <> 'completed' and not test;
comment on index call_open_of_campaign is 'How many calls of a campaign are open';
create index call_progress_of_campaign on call (workspace_id, campaign_id, outcome)
  where outcome is not null and not test;
comment on index call_progress_of_campaign is 'The outcomes of a campaign''s calls';
create index call_ended on call (workspace_id, ended_at) include (outcome, test, duration_seconds)
  where ended_at is not null;
comment on index call_ended is 'The overview''s counts of a day';
create index call_conversation on call (workspace_id, ended_at)
  where status = 'completed' and conversation_erased_at is null;
comment on index call_conversation is 'Conversations to delete after the retention time';

create index call_list on call (workspace_id, id desc);
comment on index call_list is 'GET /calls/ and the list of calls';
create index call_list_campaign on call (workspace_id, campaign_id, id desc);
comment on index call_list_campaign is 'The list of calls of a campaign';
create index call_list_agent on call (workspace_id, agent_id, id desc);
comment on index call_list_agent is 'The list of calls of an agent';
create index call_list_status on call (workspace_id, status, id desc);
comment on index call_list_status is 'The list of calls with a status';
create index call_list_outcome on call (workspace_id, outcome, id desc) where outcome is not null;
comment on index call_list_outcome is 'The list of calls with an outcome';
create index call_list_goal on call (workspace_id, goal_met, id desc) where goal_met is not null;
comment on index call_list_goal is 'The list of calls by whether the goal was met';
create index call_test on call (workspace_id, id desc) where test;
comment on index call_test is 'The list of test calls, which are rare';
create index call_queued on call (workspace_id, queued_at, id);
comment on index call_queued is 'The list of calls of a period';
create index call_contact on call (workspace_id, contact_id, id desc);
comment on index call_contact is 'The calls of a contact';
create index call_number on call (workspace_id, to_number text_pattern_ops);
comment on index call_number is 'Search by the start of a number, and the queued calls to a number';

-- The argument and the result of queue_calls.
create type call_request as (
  -- Identifies the request among those of one statement.
  item int,
  contact_id bigint,
  campaign_id bigint,
  test boolean,
  -- What to do if the contact already has an open call in this campaign. skip: return that one. queue: queue another one.
  -- same_time: return the one that's queued for the same scheduled_at, otherwise queue another one.
  if_open text,
  -- Null if no time was requested.
  scheduled_at timestamptz,
  due_at timestamptz,
  next_attempt_at timestamptz,
  metadata jsonb,
  origin jsonb,
  -- {time_zones, time_zone_source}
  zones jsonb
);
create type queued_call as (item int, call_id bigint, queued boolean);

-- An attempt to reach the contact. Its ID is the idempotency key toward the telephony provider, and the call_id of tool
-- sessions.
create table call_attempt (
  id uuid primary key default gen_random_uuid(),
  workspace_id bigint not null references workspace on delete cascade,
  call_id bigint not null references call on delete cascade,
  campaign_id bigint not null,
  number int not null,
  to_number text not null,
  test boolean not null,
  provider text not null,
  worker_id uuid not null,
  -- Increases with every new holder of the lease: what an earlier one writes is rejected.
  fence bigint not null default 1,
  lease_until timestamptz not null,
  started_at timestamptz not null,
  answered_at timestamptz,
  ended_at timestamptz,
  outcome text,
  ended_reason text,
  -- The settings that had changed since the call was queued, the time zone that decided, and the local time.
  dialed_with jsonb,
  unique (call_id, number),
  check ((ended_at is null) = (outcome is null))
);
create unique index call_attempt_one_live_per_number on call_attempt (workspace_id, to_number)
  where ended_at is null and not test;
create index call_attempt_live on call_attempt (campaign_id) where ended_at is null and not test;
create index call_attempt_lease on call_attempt (lease_until) where ended_at is null;
call protect_table('call_attempt');

-- What an agent runtime reported about an attempt, in its own order. A repetition changes nothing.
create table attempt_report (
  attempt_id uuid not null references call_attempt on delete cascade,
  sequence int not null,
  body jsonb not null,
  -- What Outdial shortened, replaced, or left out.
  changes text[] not null default '{}',
  received_at timestamptz not null default now(),
  primary key (attempt_id, sequence)
);
call protect_table('attempt_report', 'exists (
  select from call_attempt
  where call_attempt.id = attempt_report.attempt_id and call_attempt.workspace_id = current_workspace_id())');
