-- The advisory lock of a phone number. All that creates a contact first locks its number, because a row that isn't committed
-- yet can't be locked.
create or replace function contact_lock(workspace bigint, phone_number text) returns bigint
  language sql immutable parallel safe
  return hashtextextended('contact ' || workspace::text || ' ' || phone_number, 0);
