import { sql } from 'kysely'
import type { CallSettings } from '../db/tables/call-tables.ts'

/** Call settings that are read from the rows of the campaign, the agent, and the contact. */
type RowSettings = Omit<CallSettings, 'time_zones' | 'time_zone_source'>

/** The current settings as an SQL expression over `campaign`, `agent`, and `contact`. */
export const currentSettings = sql<RowSettings>`jsonb_build_object(
  'campaign_name', campaign.name,
  'campaign_time_zone', campaign.time_zone,
  'calling_hours', campaign.calling_hours,
  'retry', campaign.retry,
  'max_concurrent_calls', campaign.max_concurrent_calls,
  'agent_name', agent.name,
  'language', agent.language,
  'greeting', agent.greeting,
  'first_name', contact.first_name,
  'last_name', contact.last_name,
  'variables', contact.variables,
  'consent_source', contact.consent_source,
  'consent_at', to_char(contact.consent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
)`
