-- Returns what a workspace stores about a number: {hash, isListed, use}. Hashes the number only once, because hashing takes
-- most of the time. For the planner settings, see is_listed.
--
--   hash      number_hash, as hex
--   isListed  true if the number is on the do-not-call list
--   use       {placedAt, answeredAt}, as in number_use; null if the number wasn't called in the last 30 days
create or replace function look_up_number(workspace bigint, phone_number text) returns jsonb
  language plpgsql stable
  set enable_seqscan = off
  set plan_cache_mode = force_generic_plan
  as $$
declare
  hash bytea := number_hash(workspace, phone_number);
begin
  return jsonb_build_object(
    'hash', encode(hash, 'hex'),
    'isListed', exists (select from do_not_call where workspace_id = workspace and do_not_call.number_hash = hash),
    'use', (
      select jsonb_build_object('placedAt', placed_at, 'answeredAt', answered_at) from number_use
      where workspace_id = workspace and number_use.number_hash = hash
    )
  );
end $$;
