-- Up Migration

-- The transaction that does what a form asks for reads the user's rights again. outdial_workspace can't read sessions, so
-- these functions run with the rights of their owner, who inherits those of outdial_service.

-- Returns the role of a session's user in a workspace. Null if the session has ended, or if the user isn't a member.
-- For outdial_workspace, it's the workspace in the transaction's setting.
create function find_session_role(hash bytea, workspace bigint, at timestamptz) returns text
  language sql stable security definer
begin atomic
  select membership.role from session join membership on membership.user_id = session.user_id
  where session.id_hash = hash and session.expires_at > at
    and membership.workspace_id = case current_setting('role')
      when 'outdial_workspace' then current_workspace_id()
      else workspace
    end;
end;

-- Locks a session. Ending it waits for this transaction. Null if it has ended. It can have expired.
create function lock_session(hash bytea) returns boolean
  language sql security definer
begin atomic
  select true from session where id_hash = hash for key share;
end;

revoke execute on function find_session_role, lock_session from public;
grant execute on function find_session_role, lock_session to outdial_service, outdial_workspace;
