-- Up Migration

-- Refresh tokens of public clients expire if they aren't used for 90 days. Those that exist get 90 days from now.
update oauth_payload set expires_at = now() + interval '90 days'
from oauth_client
where oauth_payload.model = 'RefreshToken' and oauth_payload.expires_at is null
  and oauth_client.id = oauth_payload.payload ->> 'clientId' and oauth_client.secret is null;

-- A shorter retention takes effect after a day. Until then, the workspace keeps `retention_days`.
alter table workspace
  add column pending_retention_days int check (pending_retention_days between 1 and 3650),
  add column pending_retention_at timestamptz,
  add check ((pending_retention_days is null) = (pending_retention_at is null));
