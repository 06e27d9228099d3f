-- Tells whether a number is on the do-not-call list of a workspace. Its settings have the reason that upsert_contacts gives: a
-- plan that was made for a short list would hash the number once for each row of a long one.
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
