-- Up Migration

-- An API key has every scope. Connections of apps keep theirs until they're reconnected.
update credential set scopes = scopes || '{calls:write}'
where api_key_id is not null and not scopes @> '{calls:write}';

-- Filters of GET /calls/.
create index call_list_goal on call (workspace_id, goal_met, id desc) where goal_met is not null;
create index call_list_real on call (workspace_id, id desc) where not test;
