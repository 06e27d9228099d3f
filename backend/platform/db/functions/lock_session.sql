-- Locks a session, so that ending it waits for this transaction. Returns true, also for an expired session, and null if the
-- session has ended. Runs with the rights of its owner, like find_session_role.
create or replace function lock_session(hash bytea) returns boolean
  language sql security definer
begin atomic
  select true from session where id_hash = hash for key share;
end;
revoke execute on function lock_session from public;
grant execute on function lock_session to outdial_service, outdial_workspace;
