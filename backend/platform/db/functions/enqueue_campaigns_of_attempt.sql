-- Puts a campaign at its limit in the queue when one of its attempts ends, because it can make another call. Other campaigns
-- with a call to the same number have their turn a second later at the latest.
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
