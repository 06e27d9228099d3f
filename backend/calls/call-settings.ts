import { type Expression, sql } from 'kysely'
import type { CallSettings } from '../db/tables/call-tables.ts'
import { isContactOnDoNotCallList } from './check-do-not-call.ts'

/** Call settings that are read from the rows of the campaign, the agent, and the contact. */
type RowSettings = Omit<CallSettings, 'time_zones' | 'time_zone_source'>

/** Returns a time of the contact as `Date.toISOString()` does. */
const toIso = (column: 'consent_at' | 'created_at' | 'updated_at') =>
  sql`to_char(${sql.ref(`contact.${column}`)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

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
  'consent_at', ${toIso('consent_at')}
)`

/**
 * Returns a contact as the API shows it, as an SQL expression. A completed call keeps it, so that the call doesn't change when its
 * contact does. Save it in the statement that completes the call: a second update of a row in one transaction would lock
 * its contact and its campaign, against the order in db/locks.ts.
 */
export const contactSnapshot = (contactId: Expression<unknown> | number) => sql<string>`(
  select jsonb_build_object(
    'id', contact.id,
    'phone_number', contact.phone_number,
    'first_name', contact.first_name,
    'last_name', contact.last_name,
    'email', contact.email,
    'external_id', contact.external_id,
    'time_zone', contact.time_zone,
    'variables', contact.variables,
    'do_not_call', ${isContactOnDoNotCallList},
    'consent', case when contact.consent_source is not null and contact.consent_at is not null
      then jsonb_build_object('source', contact.consent_source, 'at', ${toIso('consent_at')}) end,
    'created_at', ${toIso('created_at')},
    'updated_at', ${toIso('updated_at')}
  )
  from contact where contact.id = ${contactId}
)`
