-- Returns true if a number is on the do-not-call list of a workspace. The settings make PostgreSQL use the index. Otherwise, a
-- connection that planned the query while the list was short would later read all of a long list (see upsert_contacts).
create or replace function is_listed(workspace bigint, phone_number text) returns boolean
  language plpgsql stable
  set enable_seqscan = off
  set plan_cache_mode = force_generic_plan
  as $$
declare
  hash bytea := number_hash(workspace, phone_number);
begin
  return exists (select from do_not_call where workspace_id = workspace and do_not_call.number_hash = hash);
end $$;
