-- Formats a time like JavaScript's Date.toISOString().
create or replace function iso_time(at timestamptz) returns text
  language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Returns the settings of a call that come from its campaign, agent, and contact.
create or replace function call_settings(campaign campaign, agent agent, contact contact) returns jsonb
  language sql stable parallel safe
  return jsonb_build_object(
    'campaign_name', (campaign).name,
    'campaign_time_zone', (campaign).time_zone,
    'calling_hours', (campaign).calling_hours,
    'retry', (campaign).retry,
    'max_concurrent_calls', (campaign).max_concurrent_calls,
    'agent_name', (agent).name,
    'language', (agent).language,
    'greeting', (agent).greeting,
    'first_name', (contact).first_name,
    'last_name', (contact).last_name,
    'variables', (contact).variables,
    'consent_source', (contact).consent_source,
    'consent_at', iso_time((contact).consent_at),
    'consent_kind', (contact).consent_kind
  );
