-- Returns the key of the advisory lock that a transaction takes when it ends attempts of a campaign. The function
-- settle_campaigns explains the lock.
create or replace function attempt_end_lock(campaign bigint) returns bigint
  language sql immutable parallel safe
  return hashtextextended('ends of attempts of campaign ' || campaign, 0);
