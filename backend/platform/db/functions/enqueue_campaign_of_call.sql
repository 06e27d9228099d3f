-- Puts a campaign in the queue when a call is queued, or moves to an earlier time. A campaign that has no capacity (at_limit)
-- stays out of the queue until one of its attempts ends. A campaign that is stopped by the limit of its number's calls or
-- of the workspace's minutes (limited_until) waits until the limit ends.
create or replace function enqueue_campaign_of_call() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(queued_call_lock(new.campaign_id));
  update campaign_queue set claim_at = new.next_attempt_at
  where campaign_id = new.campaign_id and not at_limit
    -- A campaign whose turn has come, or comes before the call is due, keeps its place in the queue.
    and (
      claim_at is null
      or claim_at > greatest(new.next_attempt_at, clock_timestamp())
        and (limited_until is null or limited_until <= clock_timestamp())
    );
  return null;
end $$;

drop trigger if exists call_queued_for_campaign on call;
create constraint trigger call_queued_for_campaign after insert on call deferrable initially deferred
  for each row when (new.status = 'queued' and not new.test) execute function enqueue_campaign_of_call();
drop trigger if exists call_moved_earlier on call;
create constraint trigger call_moved_earlier after update on call deferrable initially deferred
  for each row when (
    new.status = 'queued' and not new.test
    and (old.status <> 'queued' or old.test or new.next_attempt_at < old.next_attempt_at)
  ) execute function enqueue_campaign_of_call();
