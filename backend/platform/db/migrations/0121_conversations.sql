-- Up Migration

-- A conversation that Outdial itself holds through a language model: a chat of a member with an agent, also with a draft.
-- It isn't a call, and no list, figure, or event of calls contains it.
create table conversation (
  id uuid primary key default gen_random_uuid(),
  workspace_id bigint not null references workspace on delete cascade,
  agent_id bigint not null,
  agent_version int not null,
  -- Null with sample values.
  contact_id bigint,
  sample_values jsonb,
  user_id bigint not null,
  -- The newest turn. Another process that takes a turn increases it, and only the process whose turn it is stores one.
  turn int not null default 0,
  -- The results of tools that took longer than their turn. The next turn takes them.
  late_results jsonb not null default '[]',
  -- The values of the agent's results that the conversation has told so far.
  found jsonb,
  -- The model that answered last.
  model text,
  input_tokens int not null default 0,
  output_tokens int not null default 0,
  has_estimated_tokens boolean not null default false,
  started_at timestamptz not null default now(),
  last_turn_at timestamptz not null default now(),
  ended_at timestamptz,
  end_reason text check (end_reason in ('agent', 'member', 'silence', 'limit', 'failed', 'idle')),
  analysis jsonb,
  -- Why there's no analysis.
  analysis_failure text,
  analysis_attempts int not null default 0,
  -- When the next attempt of the analysis may begin: after the lease of the current one. Null if none is due.
  analysis_at timestamptz,
  foreign key (workspace_id, agent_id) references agent (workspace_id, id) on delete cascade,
  foreign key (agent_id, agent_version) references agent_version,
  -- The chats of a removed member are deleted.
  foreign key (workspace_id, user_id) references membership on delete cascade,
  foreign key (workspace_id, contact_id) references contact (workspace_id, id) on delete cascade,
  check ((contact_id is null) <> (sample_values is null)),
  check ((ended_at is null) = (end_reason is null)),
  check (analysis_at is null or ended_at is not null)
);
create index conversation_workspace on conversation (workspace_id, id);
create index conversation_agent on conversation (agent_id, started_at);
create index conversation_contact on conversation (contact_id) where contact_id is not null;
create index conversation_member on conversation (user_id, started_at);
create index conversation_open on conversation (last_turn_at) where ended_at is null;
create index conversation_analysis on conversation (analysis_at) where analysis_at is not null;
call protect_table('conversation');

create table conversation_turn (
  workspace_id bigint not null references workspace on delete cascade,
  conversation_id uuid not null references conversation on delete cascade,
  number int not null,
  -- What the contact did: said something, or nothing. Null if the agent speaks first.
  input jsonb,
  -- What the agent said and did, as it happened. Null while the turn is in progress, and if its process was killed.
  parts jsonb,
  -- What it adds to the model's history.
  messages jsonb,
  started_at timestamptz not null,
  primary key (conversation_id, number)
);
call protect_table('conversation_turn');

alter table tool_call
  alter column call_id drop not null,
  alter column attempt_id drop not null,
  add column conversation_id uuid references conversation on delete cascade,
  add constraint tool_call_attempt_check check ((call_id is null) = (attempt_id is null)) not valid,
  add constraint tool_call_owner_check check ((call_id is null) <> (conversation_id is null)) not valid;

-- The tokens of a workspace's conversations, by day in UTC.
create table model_usage (
  workspace_id bigint not null references workspace on delete cascade,
  day date not null,
  tokens bigint not null,
  primary key (workspace_id, day)
);
call protect_table('model_usage');

-- Language models that failed. All processes read it, so that none waits for a model that another has found to fail.
create table model_health (
  -- The URL and the model.
  key text primary key,
  failures int not null,
  failed_at timestamptz not null
);
call protect_table('model_health', null);

-- True if the process has a language model. Null for processes of an earlier version.
alter table replica add column has_model boolean;
