import { isDeepStrictEqual } from 'node:util'
import { type Expression, sql } from 'kysely'
import type { CallSettings } from '../../platform/db/tables/call-tables.ts'
import { apiColumns } from '../../platform/db/tables/contact-fields.ts'
import { isContactOnDoNotCallList } from './check-do-not-call.ts'

/** Call settings that are read from the rows of the campaign, the agent, and the contact. */
type RowSettings = Omit<CallSettings, 'time_zones' | 'time_zone_source'>

/** The current settings as an SQL expression over `campaign`, `agent`, and `contact`. */
export const currentSettings = sql<RowSettings>`call_settings(campaign, agent, contact)`

/** Returns the settings whose values in `after` differ from those in `before`. */
export const findSettingChanges = (
  before: Partial<CallSettings>,
  after: Partial<CallSettings>,
): Partial<CallSettings> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => !isDeepStrictEqual(value, before[name as keyof CallSettings]),
    ),
  )

/**
 * Returns an SQL expression for a contact as the API shows it. A completed call stores this snapshot, so that the call doesn't
 * change when its contact does. Save the snapshot in the statement that completes the call. A second update of the call in the
 * same transaction would lock its contact and its campaign, against the order in platform/db/locks.ts.
 */
export const contactSnapshot = (contactId: Expression<unknown> | number) => sql<string>`(
  select jsonb_build_object(
    'id', contact.id,
    'phone_number', contact.phone_number,
    ${sql.join(apiColumns.flatMap((column) => [sql.lit(column), sql.ref(`contact.${column}`)]))},
    'do_not_call', ${isContactOnDoNotCallList},
    'consent', case when contact.consent_source is not null and contact.consent_at is not null
      then jsonb_build_object(
        'source', contact.consent_source, 'at', iso_time(contact.consent_at), 'kind', contact.consent_kind
      ) end,
    'created_at', iso_time(contact.created_at),
    'updated_at', iso_time(contact.updated_at)
  )
  from contact where contact.id = ${contactId}
)`
