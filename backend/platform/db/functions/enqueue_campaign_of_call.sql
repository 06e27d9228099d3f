-- Puts a campaign in the queue when a call is queued, or queued for an earlier time. A campaign at its limit stays out of
-- the queue until one of its attempts ends, and one that a limit stops until the limit ends.
create or replace function enqueue_campaign_of_call() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(queued_call_lock(new.campaign_id));
  update campaign_queue set claim_at = new.next_attempt_at
  where campaign_id = new.campaign_id and not at_limit
    -- If it's already in the queue, it stays where it is.
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
