import type {
  CallingHours,
  CallOutcome,
  CallStatus,
  CampaignStatus,
  ConsentKind,
  ConsentRequired,
  Contact,
  EndedReason,
  Extracted,
  RetryPolicy,
  RuntimeReport,
  Sentiment,
  TranscriptTurn,
} from '@outdial/contract'
import type { Generated, GeneratedAlways } from 'kysely'
import type { Actor, CallOrigin } from '../../core/actor.ts'
import type { DelayingRule, LimitingRule } from '../call-rules.ts'
import type { CreatedAt, Id, Json, JsonWithDefault, NullableJson, TimestampColumn } from './column-types.ts'
import type { ContactFieldColumns, ContactTextColumn } from './contact-fields.ts'

/** Agents, campaigns, contacts, and calls. */
export interface CallTables {
  agent: AgentTable
  agent_version: AgentVersionTable
  phone_number: PhoneNumberTable
  campaign: CampaignTable
  campaign_queue: CampaignQueueTable
  contact: ContactTable
  contact_note: ContactNoteTable
  contact_change: ContactChangeTable
  contact_change_values: ContactChangeValuesTable
  do_not_call: DoNotCallTable
  do_not_call_removal: DoNotCallRemovalTable
  contact_import: ContactImportTable
  contact_import_row: ContactImportRowTable
  contact_import_mapping: ContactImportMappingTable
  call_rules: CallRulesTable
  number_use: NumberUseTable
  limit_use: LimitUseTable
  erased_file_name: ErasedFileNameTable
  call: CallTable
  call_attempt: CallAttemptTable
  attempt_report: AttemptReportTable
}

export type AgentStatus = 'draft' | 'live' | 'paused'

interface AgentTable {
  id: Id
  workspace_id: number
  widget_id: Generated<string>
  name: string
  language: Generated<string>
  status: Generated<AgentStatus>
  greeting: Generated<string>
  variables: Generated<string[]>
  /** The version that calls use. The name, language, greeting, and variables in this row are from this version. */
  version: Generated<number>
  newest_version: Generated<number>
  created_at: CreatedAt
}

/** Versions of agents. Rows never change. */
interface AgentVersionTable {
  workspace_id: number
  agent_id: number
  number: number
  values: Json<unknown>
  /** The member who saved the version. Null for a command, and for agents that are older than agent versions. */
  created_by: NullableJson<Actor>
  created_at: CreatedAt
}

interface PhoneNumberTable {
  id: Id
  workspace_id: number
  phone_number: string
  label: string
  country: string
  status: Generated<'active' | 'retired'>
  created_at: CreatedAt
}

interface CampaignTable {
  id: Id
  workspace_id: number
  name: string
  status: Generated<CampaignStatus>
  agent_id: number
  phone_number_id: number
  time_zone: string
  calling_hours: Json<CallingHours>
  max_concurrent_calls: number
  retry: Json<RetryPolicy>
  consent_required: Generated<ConsentRequired>
  consent_max_age_days: number | null
  one_conversation_per_day: Generated<boolean>
  closed_on_federal_holidays: Generated<boolean>
  paused_reason: string | null
  provider_failures: Generated<number>
  /**
   * Rescheduling in progress continues after the call with this ID. 0 starts from the beginning, null means that none
   * is in progress.
   */
  reschedule_after_call_id: number | null
  created_at: CreatedAt
}

/** Maintained by triggers and the function `settle_campaigns`. */
interface CampaignQueueTable {
  campaign_id: number
  workspace_id: number
  claim_at: TimestampColumn | null
  at_limit: Generated<boolean>
  claimed_at: TimestampColumn | null
  limited_until: TimestampColumn | null
  limited_by: LimitingRule | null
}

interface ContactTable extends ContactFieldColumns {
  id: Id
  workspace_id: number
  phone_number: string
  erased_at: TimestampColumn | null
  search: GeneratedAlways<string>
  email_folded: GeneratedAlways<string | null>
  first_name_folded: GeneratedAlways<string | null>
  last_name_folded: GeneratedAlways<string | null>
  created_at: CreatedAt
  updated_at: CreatedAt
  /** Who changed the contact last. A trigger copies this actor to `contact_change`. */
  updated_by: NullableJson<Actor>
}

/** The history of contacts, which a trigger of `contact` writes. */
interface ContactChangeTable {
  id: Id
  workspace_id: number
  contact_id: number
  kind: 'created' | 'updated'
  fields: string[]
  actor: NullableJson<Actor>
  /** The ID of the import in `actor`. A trigger writes it. */
  import_id: Generated<number | null>
  at: TimestampColumn
}

interface ContactChangeValuesTable {
  change_id: number
  contact_id: number
  old_values: Json<ChangedValues>
  new_values: Json<ChangedValues>
}

/** The changed columns of a contact. Contains only the variables that changed. */
export type ChangedValues = Partial<Record<ContactTextColumn, string | null>> & {
  consent_source?: string | null
  consent_at?: string | null
  consent_kind?: ConsentKind | null
  variables?: Record<string, string>
}

interface ContactNoteTable {
  id: Id
  workspace_id: number
  contact_id: number
  call_id: number | null
  text: string
  created_at: CreatedAt
}

interface DoNotCallTable {
  workspace_id: number
  number_hash: Buffer
  source: 'api' | 'dashboard' | 'call'
  reason: string | null
  created_at: CreatedAt
  added_by: NullableJson<Actor>
}

interface DoNotCallRemovalTable {
  id: Id
  workspace_id: number
  number_hash: Buffer
  source: string
  reason: string
  removed_by: number | null
  removed_at: CreatedAt
}

export type ImportStatus =
  'uploaded' | 'mapping' | 'checking' | 'checked' | 'importing' | 'done' | 'failed' | 'undoing' | 'undone'

interface ContactImportTable {
  id: Id
  workspace_id: number
  user_id: number | null
  file_name: string
  bytes: Buffer | null
  status: Generated<ImportStatus>
  error: string | null
  columns: JsonWithDefault<unknown>
  samples: JsonWithDefault<unknown>
  has_header: Generated<boolean>
  is_recalled: Generated<boolean>
  consent: JsonWithDefault<unknown>
  campaign_id: number | null
  fence: Generated<number>
  lease_until: TimestampColumn | null
  attempts: Generated<number>
  created_at: TimestampColumn
  finished_at: TimestampColumn | null
  expires_at: TimestampColumn
  undone_by: NullableJson<Actor & { kind: 'member' }>
  undone_at: TimestampColumn | null
  undo_after_contact_id: number | null
  undo_counts: NullableJson<UndoCounts>
  erasures: JsonWithDefault<unknown>
}

/** The effects of undoing an import. Each contact is counted once. */
export interface UndoCounts {
  /** Waiting calls that were canceled. */
  calls: number
  removed: number
  restored: number
  /** Contacts that were left as they are, by reason. */
  left: Partial<Record<LeftReason, number>>
}

/** Why undoing an import leaves a contact as it is. */
export type LeftReason =
  'called' | 'other_call' | 'note' | 'changed' | 'do_not_call' | 'other_import' | 'newer_values' | 'erased'

/** The result for the call that an imported row asks for: queued, or why it wasn't queued. */
export type ImportedCall =
  | 'queued'
  | 'open'
  | 'do_not_call'
  | 'no_consent'
  | 'country_not_allowed'
  | 'consent_missing'
  | 'consent_expired'
  | 'destination_not_allowed'
  | 'frequency'
  | 'no_permitted_hour'

interface ContactImportRowTable {
  import_id: number
  position: number
  phone_number: string | null
  fields: JsonWithDefault<unknown>
  state: 'new' | 'existing' | 'duplicate' | 'invalid'
  on_do_not_call_list: Generated<boolean>
  issues: JsonWithDefault<unknown>
  result: 'created' | 'updated' | 'failed' | null
  call: ImportedCall | null
  cells: NullableJson<unknown>
}

interface ErasedFileNameTable {
  workspace_id: number
  import_id: number
}

/** The rules of a workspace about who may be called. Without a row, every rule is off. */
interface CallRulesTable {
  workspace_id: number
  countries: string[] | null
  hours_by_law: Generated<boolean>
  closed_dates: Generated<string[]>
  max_attempts_per_day: number | null
  max_attempts_per_30_days: number | null
  consent_required: Generated<ConsentRequired>
  consent_max_age_days: number | null
  changed_at: TimestampColumn
  changed_by: Json<Actor>
  max_attempts_per_own_number: number | null
  max_minutes_per_month: number | null
}

interface LimitUseTable {
  workspace_id: number
  phone_number_id: number
  period: string
  used: number
}

interface NumberUseTable {
  workspace_id: number
  number_hash: Buffer
  placed_at: Date[]
  answered_at: TimestampColumn | null
}

interface ContactImportMappingTable {
  workspace_id: number
  headers_hash: Buffer
  columns: Json<unknown>
  used_at: TimestampColumn
}

interface CallTable {
  id: Id
  workspace_id: number
  campaign_id: number
  contact_id: number
  agent_id: number
  /** The version of the agent in the last call attempt. */
  agent_version: number | null
  phone_number_id: number
  status: Generated<CallStatus>
  outcome: CallOutcome | null
  ended_reason: EndedReason | null
  test: Generated<boolean>
  additional: Generated<boolean>
  from_number: string
  to_number: string
  attempts: Generated<number>
  scheduled_at: TimestampColumn | null
  queued_at: TimestampColumn
  due_at: TimestampColumn
  next_attempt_at: TimestampColumn | null
  delayed_by: DelayingRule | null
  exempt: Generated<boolean>
  answered_at: TimestampColumn | null
  ended_at: TimestampColumn | null
  duration_seconds: number | null
  summary: string | null
  transcript: JsonWithDefault<TranscriptTurn[]>
  sentiment: Generated<Sentiment>
  opted_out: Generated<boolean>
  goal_met: boolean | null
  extracted: JsonWithDefault<Extracted>
  recording_url: string | null
  metadata: JsonWithDefault<Record<string, string>>
  analysis_until: TimestampColumn | null
  conversation_erased_at: TimestampColumn | null
  had_conversation: Generated<boolean>
  origin: NullableJson<CallOrigin>
  /**
   * The ID of the import in `origin`. If something else also asked for the call while it was open, null or the ID of
   * another import.
   */
  import_id: Generated<number | null>
  canceled_by: NullableJson<Actor>
  queued_with: NullableJson<Partial<CallSettings>>
  completed_contact: NullableJson<Contact>
}

/** Settings of a campaign, an agent, and a contact that decide how and when a call is made. */
export interface CallSettings {
  campaign_name: string
  campaign_time_zone: string
  calling_hours: CallingHours
  retry: RetryPolicy
  max_concurrent_calls: number
  agent_name: string
  language: string
  greeting: string
  first_name: string | null
  last_name: string | null
  variables: Record<string, string>
  consent_source: string | null
  consent_at: string | null
  consent_kind: ConsentKind | null
  /** The time zones whose local time must be within calling hours, and where they come from. */
  time_zones: string[]
  time_zone_source: 'contact' | 'number' | 'campaign'
}

/** Settings that an attempt was dialed with, if they had changed since its call was queued. */
export interface DialedWith extends Partial<CallSettings> {
  /** The local time of dialing in each time zone: `{"America/Chicago": "2026-05-04T10:02:00-05:00"}`. */
  local_times: Record<string, string>
  /** The facts on which the rules allowed the attempt. Set only if rules are in effect. */
  allowed?: AllowedBy
}

/** The facts on which the rules allowed a call attempt. Stored so that support can explain the attempt later. */
export interface AllowedBy {
  /** The contact's consent. Undefined if there was none. */
  consent?: 'written' | 'oral' | 'any'
  /** The number of call attempts to the phone number in the 24 hours before this attempt. */
  attempts: number
  /** Who asked for the call, although the number had been called often: a member or the contact. */
  exempt?: 'member' | 'contact'
  /** The state in the United States that the area code belongs to. */
  state?: string
}

interface CallAttemptTable {
  id: Generated<string>
  workspace_id: number
  call_id: number
  campaign_id: number
  number: number
  agent_version: number | null
  to_number: string
  test: boolean
  provider: string
  worker_id: string
  fence: Generated<number>
  lease_until: TimestampColumn
  started_at: TimestampColumn
  answered_at: TimestampColumn | null
  ended_at: TimestampColumn | null
  outcome: CallOutcome | null
  ended_reason: EndedReason | null
  dialed_with: NullableJson<DialedWith>
}

interface AttemptReportTable {
  attempt_id: string
  sequence: number
  body: Json<RuntimeReport>
  received_at: CreatedAt
  changes: Generated<string[]>
}
