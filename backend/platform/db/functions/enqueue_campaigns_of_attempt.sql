-- Puts a campaign that had no capacity (at_limit) in the queue when one of its attempts ends, because it can then make another
-- call. Other campaigns with calls to the same number don't need this: settle_campaigns gives them a turn every second.
create or replace function enqueue_campaigns_of_attempt() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(attempt_end_lock(old.campaign_id));
  update campaign_queue set claim_at = clock_timestamp(), at_limit = false
  where campaign_id = old.campaign_id and at_limit;
  return null;
end $$;

drop trigger if exists call_attempt_ended on call_attempt;
create constraint trigger call_attempt_ended after update on call_attempt deferrable initially deferred
  for each row when (old.ended_at is null and new.ended_at is not null and not old.test)
  execute function enqueue_campaigns_of_attempt();
drop trigger if exists call_attempt_deleted on call_attempt;
create constraint trigger call_attempt_deleted after delete on call_attempt deferrable initially deferred
  for each row when (old.ended_at is null and not old.test) execute function enqueue_campaigns_of_attempt();
