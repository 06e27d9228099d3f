-- Returns the key of the advisory lock that a transaction takes when it queues calls of a campaign. The function
-- settle_campaigns explains the lock.
create or replace function queued_call_lock(campaign bigint) returns bigint
  language sql immutable parallel safe
  return hashtextextended('queued calls of campaign ' || campaign::text, 0);
