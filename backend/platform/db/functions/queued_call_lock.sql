-- The advisory lock of a campaign for which calls are queued. The function settle_campaigns says what it's for.
create or replace function queued_call_lock(campaign bigint) returns bigint
  language sql immutable parallel safe
  return hashtextextended('queued calls of campaign ' || campaign::text, 0);
