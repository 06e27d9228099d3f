-- Up Migration

-- An agent as it was saved. Rows never change.
create table agent_version (
  workspace_id bigint not null references workspace on delete cascade,
  agent_id bigint not null,
  number int not null check (number > 0),
  -- The name, the instructions, the results, and the other fields of the agent's form. Fields that are missing have their default.
  "values" jsonb not null,
  -- The member who saved it. Null for a command, and for agents from before there were versions.
  created_by jsonb,
  created_at timestamptz not null default now(),
  primary key (agent_id, number),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id) on delete cascade
);
call protect_table('agent_version');

alter table agent
  -- The version that calls use. The columns name, language, greeting, and variables are its.
  add column version int not null default 1,
  add column newest_version int not null default 1;

insert into agent_version (workspace_id, agent_id, number, "values", created_at)
select workspace_id, id, 1,
  jsonb_build_object('name', name, 'language', language, 'greeting', greeting, 'variables', to_jsonb(variables)),
  created_at
from agent;

-- The version of the agent that called last. Null if it hasn't called, or called before there were versions.
alter table call add column agent_version int;
alter table call_attempt add column agent_version int;
