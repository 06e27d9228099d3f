import type { CallingHours, ConsentKind } from '@outdial/contract'
import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { countryOfNumber } from '../../../platform/core/phone.ts'
import {
  type CallRules,
  type CampaignRequirements,
  campaignRequirements,
  type Consent,
  type ConsentRule,
} from '../../../platform/db/call-rules.ts'
import type { Db } from '../../../platform/db/schema.ts'
import { findCallRules } from '../../rules/call-rules.ts'
import { findConsentIssue, strictest } from '../../rules/consent.ts'
import { type CampaignLimits, planPermittedCall } from '../../rules/plan-call.ts'
import { timeZonesOfNumber } from '../../scheduling/time-zones.ts'
import { keepKind } from '../consent-kinds.ts'

/** The number of a file's contacts that a campaign wouldn't call, by rule. */
export interface StoppedRows {
  campaign: string
  consentMissing: number
  consentExpired: number
  noPermittedHour: number
}

/**
 * Counts, for each campaign that isn't archived, the contacts of a file that it wouldn't call because of its consent or its
 * hours. Doesn't count rows that aren't imported, or people who won't be called anyway. Returns only campaigns with a count
 * above zero.
 */
export async function countStoppedRows(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  workspaceId: number,
  importId: number,
): Promise<StoppedRows[]> {
  const rules = await findCallRules(deps, workspaceId)
  if (rules === null) return []
  const campaigns = await findCampaigns(deps.db, workspaceId)
  const now = deps.clock.now()
  const groups = await groupRows(deps.db, { workspaceId, importId }, { rules, campaigns, now })
  // Many campaigns have the same limits, so the contacts are counted only once for them.
  const counted = new Map<string, Omit<StoppedRows, 'campaign'>>()
  return campaigns.flatMap(({ name, ...limits }): StoppedRows[] => {
    const key = JSON.stringify(limits)
    const counts = counted.get(key) ?? countStopped(rules, limits, groups, now)
    counted.set(key, counts)
    return Object.values(counts).every((count) => count === 0) ? [] : [{ campaign: name, ...counts }]
  })
}

function countStopped(
  rules: CallRules,
  campaign: CampaignLimits,
  groups: readonly Group[],
  now: Date,
): Omit<StoppedRows, 'campaign'> {
  const counts = { consent_missing: 0, consent_expired: 0, no_permitted_hour: 0 }
  for (const { contacts, ...callee } of groups) {
    // `check-import.ts` already marks rows whose number was called too often, or whose country isn't called.
    const { never } = planPermittedCall(rules, campaign, { ...callee, use: null }, { from: now })
    if (never !== null && never !== 'destination_not_allowed' && never !== 'frequency')
      counts[never] += contacts
  }
  return {
    consentMissing: counts.consent_missing,
    consentExpired: counts.consent_expired,
    noPermittedHour: counts.no_permitted_hour,
  }
}

interface Campaign extends CampaignLimits {
  name: string
}

const findCampaigns = (
  db: Db,
  workspaceId: number,
): Promise<
  { name: string; callingHours: CallingHours; timeZone: string; requires: CampaignRequirements }[]
> =>
  db
    .selectFrom('campaign')
    .select(['name', 'calling_hours as callingHours', 'time_zone as timeZone'])
    .select(campaignRequirements.as('requires'))
    .where('workspace_id', '=', workspaceId)
    .where('status', '<>', 'archived')
    .orderBy('name')
    .orderBy('id')
    .execute()

/**
 * A group of contacts for whom the rules decide the same. `contacts` is their number, and the other values are those of one of
 * them.
 */
interface Group {
  phoneNumber: string
  timeZone: string | null
  consent: Consent | null
  contacts: number
}

interface ImportKey {
  workspaceId: number
  importId: number
}

/** Groups the contacts of a file. Reads the rows in batches, so that no query holds up other requests. */
async function groupRows(
  db: Db,
  key: ImportKey,
  { rules, campaigns, now }: { rules: CallRules; campaigns: readonly Campaign[]; now: Date },
): Promise<Group[]> {
  const consentRules = findConsentRules(rules, campaigns)
  const hasClosedDays =
    rules.closedDates.length > 0 || campaigns.some(({ requires }) => requires.closedOnFederalHolidays)
  const needsConsent = consentRules.some(({ consentRequired }) => consentRequired !== 'none')
  if (!needsConsent && !rules.hoursByLaw && !hasClosedDays) return []
  const placeOf = rules.countries !== null || hasClosedDays ? findPlace : findAreaCode
  const groups = new Map<string, Group>()
  const last = await findLastPosition(db, key)
  for (let after = 0; after < last; after += batchSize) {
    for (const row of await findRowsToCall(db, key, after)) {
      const { phoneNumber, timeZone } = row
      const consent = mergeConsent(row)
      const issues = consentRules.map((rule) => findConsentIssue(rule, consent, now))
      const groupKey = [placeOf(phoneNumber), timeZone, ...issues].join()
      const group = groups.get(groupKey) ?? { phoneNumber, timeZone, consent, contacts: 0 }
      group.contacts += 1
      groups.set(groupKey, group)
    }
  }
  return [...groups.values()]
}

/** Returns the campaigns' rules about consent, each only once. */
const findConsentRules = (rules: CallRules, campaigns: readonly Campaign[]): ConsentRule[] => {
  const all = campaigns.map(({ requires }) => strictest(rules, requires))
  return [...new Map(all.map((rule) => [JSON.stringify(rule), rule])).values()]
}

/** Returns a key for a number's place. Numbers with the same American area code are in the same place. */
const findPlace = (phoneNumber: string): string =>
  findAreaCode(phoneNumber) || [countryOfNumber(phoneNumber), ...timeZonesOfNumber(phoneNumber)].join()

/** Returns a number's American area code, on which the hours by law depend. Empty for other numbers. */
const findAreaCode = (phoneNumber: string): string => /^\+1\d{3}/.exec(phoneNumber)?.[0] ?? ''

/** A consent as JSON: the one in a row, or the stored one of its contact. */
interface RowConsent {
  source: string | null
  /** ISO 8601. */
  at: string
  kind?: ConsentKind | null
}

interface RowToCall {
  phoneNumber: string
  /** The contact's own time zone after the import. */
  timeZone: string | null
  sent: RowConsent | null
  stored: RowConsent | null
}

/** Returns the consent that a contact has after the import. A consent that a row leaves out stays as stored. */
function mergeConsent({ sent, stored }: RowToCall): Consent | null {
  const consent = sent ?? stored
  if (consent === null) return null
  const { at, kind = stored && keepKind(consent, stored) } = consent
  return { at, kind }
}

const batchSize = 1_000

async function findLastPosition(db: Db, { workspaceId, importId }: ImportKey): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select max(position) as last from contact_import_row where import_id = ${ofWorkspace(workspaceId, importId)}`.execute(
    db,
  )
  return rows[0]?.last ?? 0
}

const ofWorkspace = (workspaceId: number, importId: number) =>
  sql`(select id from contact_import where workspace_id = ${workspaceId} and id = ${importId})`

/**
 * Returns the rows of a batch whose contacts are called if a campaign is chosen. Selects a range of positions, because
 * PostgreSQL, without statistics, would sort all rows to find the next ones.
 */
async function findRowsToCall(
  db: Db,
  { workspaceId, importId }: ImportKey,
  after: number,
): Promise<RowToCall[]> {
  const { rows } = await sql<RowToCall>`
    select imported.phone_number as "phoneNumber",
      coalesce(imported.fields ->> 'time_zone', contact.time_zone) as "timeZone",
      imported.fields -> 'consent' as sent, contact.consent as stored
    from contact_import_row as imported
    -- Lateral with a limit: until PostgreSQL has statistics on a new import, it could read all contacts for each row.
    left join lateral (
      select time_zone, case when consent_at is not null then
        jsonb_build_object('source', consent_source, 'at', consent_at, 'kind', consent_kind) end as consent
      from contact
      where workspace_id = ${workspaceId} and phone_number = imported.phone_number and erased_at is null
      limit 1
    ) as contact on true
    where imported.import_id = ${ofWorkspace(workspaceId, importId)}
      and position > ${after} and position <= ${after + batchSize}
      and imported.state in ('new', 'existing') and not imported.on_do_not_call_list
      and not imported.fields @> '{"do_not_call": true}' and not imported.fields @> '{"consent_denied": true}'`.execute(
    db,
  )
  return rows
}
