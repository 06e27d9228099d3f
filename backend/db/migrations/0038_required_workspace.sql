-- Up Migration

-- A statement of a workspace whose connection has no setting now fails. Before, it saw no rows, so that a missing setting
-- looked like a missing object or an invalid credential. Before a setting is set for the first time, reading it is an error.
-- After a transaction that set it only for itself, it's empty, which isn't a bigint.
create or replace function current_workspace_id() returns bigint
  language sql stable parallel safe
  return current_setting('outdial.workspace_id')::bigint;
