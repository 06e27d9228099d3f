-- Returns the passages of a workspace that match, best first. It runs with the rights of its owner, who inherits those of
-- outdial_service. If the role is outdial_workspace, it ignores `workspace` and uses the workspace in the transaction's
-- setting, so the role can't read other workspaces.
create or replace function find_passages(workspace bigint, query tsquery, max_count int)
  returns table (passage_id bigint, rank real)
  language sql stable security definer
begin atomic
  select id, ts_rank_cd(search, query) from knowledge_passage
  where search @@ query and workspace_id = case current_setting('role')
    when 'outdial_workspace' then current_workspace_id()
    else workspace
  end
  order by 2 desc, 1
  limit max_count;
end;
revoke execute on function find_passages from public;
grant execute on function find_passages to outdial_service, outdial_workspace;
