import type { ConsentRequired } from '@outdial/contract'
import { type Expression, sql } from 'kysely'

/** The consent that a contact must have given before calls. */
export interface ConsentRule {
  consentRequired: ConsentRequired
  /** Null: consent of any age. */
  consentMaxAgeDays: number | null
}

/** The rules of a workspace about who may be called. */
export interface CallRules extends ConsentRule {
  /** ISO 3166-1 alpha-2 codes of the countries that are called. Null: all countries. */
  countries: string[] | null
  /** True if calls to the United States are placed only in the hours that the law allows. */
  hoursByLaw: boolean
  /** Days on which no calls are placed, as YYYY-MM-DD. */
  closedDates: string[]
  /** Maximum number of call attempts to a phone number in 24 hours, over all campaigns. Null: unlimited. */
  maxAttemptsPerDay: number | null
  /** Maximum number of call attempts to a phone number in 30 days, over all campaigns. Null: unlimited. */
  maxAttemptsPer30Days: number | null
  /**
   * Maximum number of call attempts from each of the workspace's numbers on a day in the workspace's time zone. Null:
   * unlimited.
   */
  maxAttemptsPerOwnNumber: number | null
  /** Maximum minutes of conversation in a calendar month, in the workspace's time zone. Null: unlimited. */
  maxMinutesPerMonth: number | null
}

/** The rules that a campaign adds to those of its workspace. */
export interface CampaignRequirements extends ConsentRule {
  /** The campaign doesn't call a number for 24 hours after any campaign's conversation with it. */
  oneConversationPerDay: boolean
  /** No calls are placed on federal holidays of the United States. */
  closedOnFederalHolidays: boolean
}

/** Selects the rules that the query's `campaign` adds. */
export const campaignRequirements = sql<CampaignRequirements>`jsonb_build_object(
  'consentRequired', campaign.consent_required,
  'consentMaxAgeDays', campaign.consent_max_age_days,
  'oneConversationPerDay', campaign.one_conversation_per_day,
  'closedOnFederalHolidays', campaign.closed_on_federal_holidays
)`

/** Selects the rules from `call_rules`. Returns the defaults if a left join found no row. */
export const callRulesColumn = sql<CallRules>`jsonb_build_object(
  'countries', call_rules.countries,
  'hoursByLaw', coalesce(call_rules.hours_by_law, false),
  'closedDates', coalesce(call_rules.closed_dates, '{}'),
  'maxAttemptsPerDay', call_rules.max_attempts_per_day,
  'maxAttemptsPer30Days', call_rules.max_attempts_per_30_days,
  'maxAttemptsPerOwnNumber', call_rules.max_attempts_per_own_number,
  'maxMinutesPerMonth', call_rules.max_minutes_per_month,
  'consentRequired', coalesce(call_rules.consent_required, 'none'),
  'consentMaxAgeDays', call_rules.consent_max_age_days
)`

/** A rule that can make a call wait longer than the law and calling hours do. */
export type DelayingRule = 'frequency'

/** A rule that stops a campaign for some time. */
export type LimitingRule = 'number_limit' | 'minutes_limit'

/** When a number was called, over all campaigns of a workspace. Times are text in ISO 8601, because they come from JSON. */
export interface NumberUse {
  /** When the newest 60 call attempts were placed, oldest first. */
  placedAt: string[]
  /** When the last conversation began. */
  answeredAt: string | null
}

/** What a workspace stores about a phone number. */
export interface StoredNumber {
  /** HMAC-SHA256 with the workspace's salt, as hex. */
  hash: string
  /** True if the number is on the do-not-call list. */
  isListed: boolean
  /** Null if the number wasn't called in the last 30 days. */
  use: NumberUse | null
}

const lookUp = (workspaceId: Expression<unknown> | number, phoneNumber: Expression<unknown>) =>
  sql<StoredNumber>`look_up_number(${workspaceId}, ${phoneNumber})`

/** Selects when a number was called; null if it wasn't called in the last 30 days. */
export const useOf = (workspaceId: Expression<unknown> | number, phoneNumber: Expression<unknown>) =>
  sql<NumberUse | null>`${lookUp(workspaceId, phoneNumber)} -> 'use'`

/** Selects what is stored about the number that the query's `call` dials. */
export const storedNumberOfCallee = lookUp(sql.ref('call.workspace_id'), sql.ref('call.to_number'))

/** Selects when the number that the query's `call` dials was called. */
export const useOfCallee = useOf(sql.ref('call.workspace_id'), sql.ref('call.to_number'))

/** Selects when the number of the query's `contact` was called. */
export const useOfContact = useOf(sql.ref('contact.workspace_id'), sql.ref('contact.phone_number'))

/** How many turns of the contact make a call a conversation. A voicemail greeting is a single turn. */
const conversationTurns = 2

/** Matches calls in which the contact spoke at least twice, also after the transcript was erased. */
export const hadConversation = (call: string) => sql<boolean>`(${sql.ref(`${call}.had_conversation`)} or (
  select count(*) from jsonb_array_elements(${sql.ref(`${call}.transcript`)}) as turn where turn ->> 'role' = 'contact'
) >= ${sql.lit(conversationTurns)})`

/** A contact's agreement to be called. */
export interface Consent {
  /** ISO 8601. */
  at: string
  kind: 'written' | 'oral' | null
}

/** Selects the consent of the query's `contact`; null if there's none. */
export const consentOfContact = sql<Consent | null>`
  case when contact.consent_at is not null
    then jsonb_build_object('at', contact.consent_at, 'kind', contact.consent_kind) end`
