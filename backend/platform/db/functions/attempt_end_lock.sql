-- The advisory lock of a campaign whose attempts end. The function settle_campaigns says what it's for.
create or replace function attempt_end_lock(campaign bigint) returns bigint
  language sql immutable parallel safe
  return hashtextextended('ends of attempts of campaign ' || campaign, 0);
