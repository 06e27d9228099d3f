-- Returns the key of a phone number's advisory lock. Every transaction that creates a contact first locks the contact's number:
-- the row itself can't be locked by other transactions until it's committed.
create or replace function contact_lock(workspace bigint, phone_number text) returns bigint
  language sql immutable parallel safe
  return hashtextextended('contact ' || workspace::text || ' ' || phone_number, 0);
