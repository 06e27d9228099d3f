-- Up Migration

alter table api_request
  -- What the client calls itself in X-Outdial-Client, such as zapier/1.0.0.
  add column client_version text,
  -- The code of each issue, in the order of fields. Empty for requests of earlier versions.
  add column field_codes text[] not null default '{}';
