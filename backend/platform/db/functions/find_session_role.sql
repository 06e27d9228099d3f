-- Returns the role of a session's user in a workspace. Null if the session has ended or expired, or if the user isn't a member.
-- A transaction that changes something for a user calls this function as outdial_workspace. That role can't read sessions, so
-- the function runs with the rights of its owner, who inherits those of outdial_service. If the role is outdial_workspace, the
-- function ignores `workspace` and uses the workspace in the transaction's setting.
create or replace function find_session_role(hash bytea, workspace bigint, at timestamptz) returns text
  language sql stable security definer
begin atomic
  select membership.role from session join membership on membership.user_id = session.user_id
  where session.id_hash = hash and session.expires_at > at
    and membership.workspace_id = case current_setting('role')
      when 'outdial_workspace' then current_workspace_id()
      else workspace
    end;
end;
revoke execute on function find_session_role from public;
grant execute on function find_session_role to outdial_service, outdial_workspace;
