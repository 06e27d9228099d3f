-- The do-not-call list stores HMAC-SHA256(key, sha256(salt || number)). If there were only the salt, someone who can read the
-- database could find the numbers by hashing all phone numbers. The key is in `server_secret`, encrypted. The service sets it
-- in its database sessions (backend/platform/db/do-not-call-settings.ts). In other sessions, these functions raise an error.

-- Returns the HMAC (RFC 2104). The inner key is the key XOR ipad, and the outer key is the key XOR opad, both in hexadecimal.
create or replace function do_not_call_hmac(message bytea) returns bytea
  language sql stable parallel safe
  return sha256(
    decode(current_setting('outdial.do_not_call_outer_key'), 'hex')
    || sha256(decode(current_setting('outdial.do_not_call_inner_key'), 'hex') || message)
  );

create or replace function salted_number_hash(salt bytea, phone_number text) returns bytea
  language sql stable parallel safe
  return do_not_call_hmac(sha256(salt || convert_to(phone_number, 'UTF8')));

create or replace function number_hash(workspace bigint, phone_number text) returns bytea
  language sql stable
  return (select salted_number_hash(w.number_salt, phone_number) from workspace w where w.id = workspace);
