-- Returns when a number was called: {placedAt, answeredAt}, as in number_use. Null if it wasn't in the last 30 days. Its settings
-- have the reason that is_listed gives.
create or replace function find_number_use(workspace bigint, phone_number text) returns jsonb
  language plpgsql stable
  set enable_seqscan = off
  set plan_cache_mode = force_generic_plan
  as $$
declare
  hash bytea := number_hash(workspace, phone_number);
begin
  return (
    select jsonb_build_object('placedAt', placed_at, 'answeredAt', answered_at) from number_use
    where workspace_id = workspace and number_use.number_hash = hash
  );
end $$;
