-- Up Migration

-- A tool of a workspace: built in, or created in the dashboard to reach a connected integration.
create table mcp_tool (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  kind text not null check (kind in (
    'knowledge_search', 'contact_lookup', 'contact_update', 'contact_note', 'do_not_call',
    'schedule_callback', 'spreadsheet_append', 'http', 'remote_mcp'
  )),
  -- For remote_mcp: the server's name, the part of its tools' names before `__`.
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'),
  description text not null,
  -- JSON Schema of the arguments (2020-12). For remote_mcp: unused, because the chosen tools are in settings.
  input_schema jsonb not null,
  -- What the kind needs, the same for every agent: http → method, url, headers; remote_mcp → url, transport, tools.
  settings jsonb not null default '{}',
  -- A JSON object of secrets by name, encrypted under SECRET_KEY. Null if there are none.
  secrets text,
  is_active boolean not null default true,
  -- Increases with every change: compiled validators are cached by it.
  version int not null default 1,
  created_at timestamptz not null default now(),
  unique (workspace_id, id),
  unique (workspace_id, name)
);
call protect_table('mcp_tool');

-- A tool assigned to an agent, with that agent's own configuration, for example its spreadsheet_id.
create table widget_tool (
  workspace_id bigint not null references workspace on delete cascade,
  agent_id bigint not null,
  tool_id bigint not null,
  config jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (agent_id, tool_id),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id) on delete cascade,
  foreign key (workspace_id, tool_id) references mcp_tool (workspace_id, id) on delete cascade
);
create index widget_tool_of_tool on widget_tool (tool_id);
call protect_table('widget_tool');

-- What an agent did in a call.
create table tool_call (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  call_id bigint not null references call on delete cascade,
  attempt_id uuid not null references call_attempt on delete cascade,
  tool_name text not null,
  arguments jsonb not null,
  -- As the agent read it.
  result text not null,
  is_error boolean not null,
  dry_run boolean not null,
  started_at timestamptz not null,
  duration_ms int not null
);
create index tool_call_call on tool_call (call_id, id);
call protect_table('tool_call');

-- What the tools read and write ----------------------------------------------------------------------------

create table knowledge_document (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  title text not null,
  body text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (workspace_id, id)
);
call protect_table('knowledge_document');

-- Passages are searched and quoted, because a whole document is too long to be read out.
create table knowledge_passage (
  id bigint generated always as identity primary key,
  workspace_id bigint not null,
  document_id bigint not null,
  position int not null,
  text text not null,
  search tsvector not null,
  unique (document_id, position),
  foreign key (workspace_id, document_id) references knowledge_document (workspace_id, id) on delete cascade
);
create index knowledge_passage_search on knowledge_passage using gin (search);
create index knowledge_passage_workspace on knowledge_passage (workspace_id);
call protect_table('knowledge_passage');

create table contact_note (
  id bigint generated always as identity primary key,
  workspace_id bigint not null,
  contact_id bigint not null,
  -- The call in which it was written. Null if there was none.
  call_id bigint references call on delete set null,
  text text not null,
  created_at timestamptz not null default now(),
  foreign key (workspace_id, contact_id) references contact (workspace_id, id) on delete cascade
);
create index contact_note_contact on contact_note (contact_id, id);
call protect_table('contact_note');

-- Spreadsheets that are stored here. Their IDs are the spreadsheet_id of a tool.
create table spreadsheet (
  id text primary key,
  workspace_id bigint not null references workspace on delete cascade,
  name text not null,
  columns text[] not null,
  created_at timestamptz not null default now(),
  unique (workspace_id, id)
);
call protect_table('spreadsheet');

create table spreadsheet_row (
  id bigint generated always as identity primary key,
  workspace_id bigint not null,
  spreadsheet_id text not null,
  cells text[] not null,
  created_at timestamptz not null default now(),
  foreign key (workspace_id, spreadsheet_id) references spreadsheet (workspace_id, id) on delete cascade
);
create index spreadsheet_row_sheet on spreadsheet_row (spreadsheet_id, id);
call protect_table('spreadsheet_row');

-- The workspace's own Google service account: client_email, and private_key encrypted under SECRET_KEY.
create table google_account (
  workspace_id bigint primary key references workspace on delete cascade,
  client_email text not null,
  private_key text not null,
  created_at timestamptz not null default now()
);
call protect_table('google_account');
