import type { CallingHours } from '@outdial/contract'
import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { dayMs } from '../../../platform/core/durations.ts'
import {
  type CampaignRequirements,
  campaignRequirements,
  type ConsentRule,
} from '../../../platform/db/call-rules.ts'
import type { Db } from '../../../platform/db/schema.ts'
import { findCallRules } from '../../rules/call-rules.ts'
import { strictest } from '../../rules/consent.ts'
import { hoursByLaw } from '../../rules/hours-by-law.ts'
import { haveCommonHour } from '../../rules/plan-call.ts'

/** How many contacts of a file a campaign wouldn't call, by rule. */
export interface StoppedRows {
  campaign: string
  consentMissing: number
  consentExpired: number
  noPermittedHour: number
}

/**
 * Counts, for each campaign that isn't archived, the contacts of a file that it wouldn't call because of a rule. Rows that aren't
 * imported, and people who won't be called anyway, don't count. Only campaigns with a count above zero.
 */
export async function countStoppedRows(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  workspaceId: number,
  importId: number,
): Promise<StoppedRows[]> {
  const rules = await findCallRules(deps, workspaceId)
  if (rules === null) return []
  const found = await findCampaigns(deps.db, workspaceId)
  const campaigns = found.map((campaign) => ({ ...campaign, consent: strictest(rules, campaign.requires) }))
  const key = { workspaceId, importId }
  const wanted = campaigns.filter(({ consent }) => consent.consentRequired !== 'none')
  // Many campaigns have the same rule, or the same hours.
  const distinct = [...new Map(wanted.map(({ consent }) => [toKey(consent), consent])).values()]
  const consentCounts =
    distinct.length === 0 ? [] : await countByConsent(deps.db, key, distinct, deps.clock.now())
  const byConsent = new Map(consentCounts.map(({ rule, ...counts }) => [toKey(distinct[rule]), counts]))
  const areas = rules.hoursByLaw ? await countByAreaCode(deps.db, key) : []
  const byHours = new Map<string, number>()
  return campaigns.flatMap(({ name, callingHours, consent }): StoppedRows[] => {
    const { missing = 0, expired = 0 } = byConsent.get(toKey(consent)) ?? {}
    const hours = toKey(callingHours)
    const noPermittedHour = byHours.get(hours) ?? countClosed(areas, callingHours)
    byHours.set(hours, noPermittedHour)
    return missing + expired + noPermittedHour === 0
      ? []
      : [{ campaign: name, consentMissing: missing, consentExpired: expired, noPermittedHour }]
  })
}

const toKey = (value: unknown): string => JSON.stringify(value)

const countClosed = (areas: readonly Area[], callingHours: CallingHours): number =>
  areas
    .filter(({ example }) => !haveCommonHour(callingHours, ...hoursByLaw(example)))
    .reduce((sum, { contacts }) => sum + contacts, 0)

const findCampaigns = (
  db: Db,
  workspaceId: number,
): Promise<{ name: string; callingHours: CallingHours; requires: CampaignRequirements }[]> =>
  db
    .selectFrom('campaign')
    .select(['name', 'calling_hours as callingHours', campaignRequirements.as('requires')])
    .where('workspace_id', '=', workspaceId)
    .where('status', '<>', 'archived')
    .orderBy('name')
    .orderBy('id')
    .execute()

/** Contacts with the same area code, and a number of one of them. */
interface Area {
  example: string
  contacts: number
}

interface ImportKey {
  workspaceId: number
  importId: number
}

/** Selects the rows whose contacts are called if a campaign is chosen. */
const rowsToCall = ({ workspaceId, importId }: ImportKey) => sql`
  contact_import_row as imported
  where imported.import_id = (
      select id from contact_import where workspace_id = ${workspaceId} and id = ${importId}
    )
    and imported.state in ('new', 'existing') and not imported.on_do_not_call_list
    and not imported.fields @> '{"do_not_call": true}' and not imported.fields @> '{"consent_denied": true}'`

/** A consent that a row leaves out stays as stored, and so does its kind if the row has the same consent without a kind. */
async function countByConsent(
  db: Db,
  key: ImportKey,
  rules: readonly ConsentRule[],
  now: Date,
): Promise<{ rule: number; missing: number; expired: number }[]> {
  const oldest = rules.map(({ consentMaxAgeDays: days }) =>
    days === null ? null : new Date(now.getTime() - days * dayMs),
  )
  const { rows } = await sql<{ rule: number; missing: number; expired: number }>`
    with called as materialized (
      select imported.phone_number, imported.fields -> 'consent' as consent from ${rowsToCall(key)}
    ), person as materialized (
      select coalesce((called.consent ->> 'at')::timestamptz, contact.consent_at) as at,
        case
          when called.consent is null then contact.consent_kind
          when called.consent ->> 'kind' is not null then called.consent ->> 'kind'
          when called.consent ->> 'source' = contact.consent_source
            and (called.consent ->> 'at')::timestamptz = contact.consent_at then contact.consent_kind
        end as kind
      from called
      -- Not a plain join, which can read all contacts for each row while the statistics of a new import are missing.
      left join lateral (
        select consent_source, consent_at, consent_kind from contact
        where workspace_id = ${key.workspaceId} and phone_number = called.phone_number and erased_at is null
        limit 1
      ) as contact on true
    ), judged as (
      select rule.index, at is null or must_be_written and kind is distinct from 'written' as is_missing,
        coalesce(at < oldest, false) as is_expired
      from person
      cross join unnest(
        ${rules.map((_, index) => index)}::int[],
        ${rules.map(({ consentRequired }) => consentRequired === 'written')}::boolean[],
        ${oldest}::timestamptz[]
      ) as rule (index, must_be_written, oldest)
    )
    select index as rule, (count(*) filter (where is_missing))::int as missing,
      (count(*) filter (where is_expired and not is_missing))::int as expired
    from judged group by index`.execute(db)
  return rows
}

/** Counts the contacts by area code, of numbers with +1. All numbers with an area code are in the same state. */
async function countByAreaCode(db: Db, key: ImportKey): Promise<Area[]> {
  const { rows } = await sql<Area>`
    select min(phone_number) as example, count(*)::int as contacts
    from (select imported.phone_number from ${rowsToCall(key)}) as called
    where phone_number like '+1%'
    group by substr(phone_number, 3, 3)`.execute(db)
  return rows
}
