import type {
  CallingHours,
  CallOutcome,
  CallStatus,
  CampaignStatus,
  EndedReason,
  Extracted,
  RetryPolicy,
  Scope,
  Sentiment,
  TranscriptTurn,
  WebhookFilter,
} from '@outdial/contract'
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType, Kysely } from 'kysely'

/** The tables as `migrations/` make them. bigint is read as number, timestamptz as Date. */
export interface Database {
  workspace: WorkspaceTable
  app_user: UserTable
  membership: MembershipTable
  session: SessionTable
  api_key: ApiKeyTable
  oauth_client: OauthClientTable
  oauth_grant: OauthGrantTable
  oauth_payload: OauthPayloadTable
  credential: CredentialTable
  server_secret: ServerSecretTable
  idempotent_response: IdempotentResponseTable
  agent: AgentTable
  phone_number: PhoneNumberTable
  campaign: CampaignTable
  contact: ContactTable
  do_not_call: DoNotCallTable
  call: CallTable
  call_attempt: CallAttemptTable
  webhook_subscription: WebhookSubscriptionTable
  event: EventTable
  webhook_delivery: WebhookDeliveryTable
  delivery_attempt: DeliveryAttemptTable
  mcp_tool: McpToolTable
  widget_tool: WidgetToolTable
  knowledge_document: KnowledgeDocumentTable
  knowledge_passage: KnowledgePassageTable
  contact_note: ContactNoteTable
  spreadsheet: SpreadsheetTable
  spreadsheet_row: SpreadsheetRowTable
  google_account: GoogleAccountTable
  tool_call: ToolCallTable
  attempt_report: AttemptReportTable
  invitation: InvitationTable
  password_reset: PasswordResetTable
  do_not_call_removal: DoNotCallRemovalTable
  contact_import: ContactImportTable
  contact_import_row: ContactImportRowTable
}

/** A connection pool, or a transaction on it. */
export type Db = Kysely<Database>

type Id = GeneratedAlways<number>
type At = Date
type CreatedAt = Generated<Date>
/** JSON goes in as text: node-postgres would turn an array into a PostgreSQL array. */
type Json<T> = ColumnType<T, string, string>
type JsonWithDefault<T> = ColumnType<T, string | undefined, string>

interface WorkspaceTable {
  id: Id
  name: string
  country: string
  time_zone: string
  calling_hours: JsonWithDefault<CallingHours>
  webhook_secret: string
  number_salt: Generated<Buffer>
  form_id: string | null
  retention_days: number | null
  previous_webhook_secret: string | null
  previous_webhook_secret_until: At | null
  created_at: CreatedAt
}

interface UserTable {
  id: Id
  email: string
  name: string
  password_hash: string
  created_at: CreatedAt
}

interface MembershipTable {
  workspace_id: number
  user_id: number
  role: 'owner' | 'member'
  created_at: CreatedAt
}

interface SessionTable {
  id: Id
  id_hash: Buffer
  user_id: number
  user_agent: Generated<string>
  created_at: CreatedAt
  last_seen_at: CreatedAt
  expires_at: At
}

interface ApiKeyTable {
  id: Id
  workspace_id: number
  user_id: number
  name: string
  prefix: string
  created_at: CreatedAt
  last_used_at: At | null
  revoked_at: At | null
}

interface OauthClientTable {
  id: string
  name: string
  secret: string | null
  redirect_uris: string[]
  created_at: CreatedAt
}

interface OauthGrantTable {
  id_hash: Buffer
  workspace_id: number
  user_id: number
  client_id: string
  created_at: CreatedAt
  last_used_at: At | null
}

interface OauthPayloadTable {
  model: string
  id_hash: Buffer
  payload: JSONColumnType<Record<string, unknown>>
  grant_hash: Buffer | null
  uid_hash: Buffer | null
  expires_at: At | null
  consumed_at: At | null
}

interface CredentialTable {
  token_hash: Buffer
  workspace_id: number
  user_id: number
  api_key_id: number | null
  grant_hash: Buffer | null
  client_id: string | null
  scopes: Scope[]
  expires_at: At | null
}

interface ServerSecretTable {
  name: string
  value: string
  created_at: CreatedAt
}

interface IdempotentResponseTable {
  scope_hash: Buffer
  body_hash: Buffer
  workspace_id: number
  status: number
  body: Json<unknown>
  created_at: CreatedAt
  expires_at: At
}

interface AgentTable {
  id: Id
  workspace_id: number
  widget_id: Generated<string>
  name: string
  language: Generated<string>
  status: Generated<'draft' | 'live' | 'paused'>
  greeting: Generated<string>
  variables: Generated<string[]>
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
  paused_reason: string | null
  provider_failures: Generated<number>
  claimed_at: At | null
  reschedule_after_call_id: number | null
  created_at: CreatedAt
}

interface ContactTable {
  id: Id
  workspace_id: number
  phone_number: string
  first_name: string | null
  last_name: string | null
  email: string | null
  external_id: string | null
  time_zone: string | null
  variables: JsonWithDefault<Record<string, string>>
  consent_source: string | null
  consent_at: At | null
  erased_at: At | null
  search: GeneratedAlways<string>
  created_at: CreatedAt
  updated_at: CreatedAt
}

interface DoNotCallTable {
  workspace_id: number
  number_hash: Buffer
  source: 'api' | 'dashboard' | 'call'
  reason: string | null
  created_at: CreatedAt
}

interface CallTable {
  id: Id
  workspace_id: number
  campaign_id: number
  contact_id: number
  agent_id: number
  phone_number_id: number
  status: Generated<CallStatus>
  outcome: CallOutcome | null
  ended_reason: EndedReason | null
  test: Generated<boolean>
  additional: Generated<boolean>
  from_number: string
  to_number: string
  attempts: Generated<number>
  scheduled_at: At | null
  queued_at: At
  due_at: At
  next_attempt_at: At | null
  answered_at: At | null
  ended_at: At | null
  duration_seconds: number | null
  summary: string | null
  transcript: JsonWithDefault<TranscriptTurn[]>
  sentiment: Generated<Sentiment>
  goal_met: boolean | null
  extracted: JsonWithDefault<Extracted>
  recording_url: string | null
  metadata: JsonWithDefault<Record<string, string>>
  callback_url: string | null
  analysis_until: At | null
  conversation_erased_at: At | null
}

interface CallAttemptTable {
  id: Generated<string>
  workspace_id: number
  call_id: number
  campaign_id: number
  number: number
  to_number: string
  test: boolean
  provider: string
  worker_id: string
  fence: Generated<number>
  lease_until: At
  started_at: At
  answered_at: At | null
  ended_at: At | null
  outcome: CallOutcome | null
  ended_reason: EndedReason | null
}

interface WebhookSubscriptionTable {
  id: Id
  workspace_id: number
  user_id: number
  api_key_id: number | null
  client_id: string | null
  target_url: string
  event: 'call.completed'
  filter: Json<WebhookFilter>
  secret: string
  previous_secret: string | null
  previous_secret_until: At | null
  created_at: CreatedAt
  disabled_at: At | null
  failing_since: At | null
}

interface EventTable {
  id: string
  workspace_id: number
  type: 'call.completed'
  call_id: number | null
  body: string
  created_at: CreatedAt
}

interface WebhookDeliveryTable {
  id: Id
  workspace_id: number
  event_id: string
  subscription_id: number | null
  target_url: string
  target_host: GeneratedAlways<string>
  status: Generated<'pending' | 'delivered' | 'exhausted' | 'gone'>
  attempts: Generated<number>
  next_attempt_at: At | null
  worker_id: string | null
  fence: Generated<number>
  lease_until: At | null
  created_at: CreatedAt
  finished_at: At | null
}

interface DeliveryAttemptTable {
  id: Id
  delivery_id: number
  number: number
  at: At
  duration_ms: number
  status_code: number | null
  error: string | null
}

export type ToolKindName =
  | 'knowledge_search'
  | 'contact_lookup'
  | 'contact_update'
  | 'contact_note'
  | 'do_not_call'
  | 'schedule_callback'
  | 'spreadsheet_append'
  | 'http'
  | 'remote_mcp'

interface McpToolTable {
  id: Id
  workspace_id: number
  kind: ToolKindName
  name: string
  description: string
  input_schema: Json<Record<string, unknown>>
  settings: JsonWithDefault<Record<string, unknown>>
  secrets: string | null
  is_active: Generated<boolean>
  version: Generated<number>
  created_at: CreatedAt
}

interface WidgetToolTable {
  workspace_id: number
  agent_id: number
  tool_id: number
  config: JsonWithDefault<Record<string, unknown>>
  created_at: CreatedAt
}

interface KnowledgeDocumentTable {
  id: Id
  workspace_id: number
  title: string
  body: string
  created_at: CreatedAt
  updated_at: CreatedAt
}

interface KnowledgePassageTable {
  id: Id
  workspace_id: number
  document_id: number
  position: number
  text: string
  /** A tsvector: written by to_tsvector, never read. */
  search: ColumnType<never, string, string>
}

interface ContactNoteTable {
  id: Id
  workspace_id: number
  contact_id: number
  call_id: number | null
  text: string
  created_at: CreatedAt
}

interface SpreadsheetTable {
  id: string
  workspace_id: number
  name: string
  columns: string[]
  created_at: CreatedAt
}

interface SpreadsheetRowTable {
  id: Id
  workspace_id: number
  spreadsheet_id: string
  cells: string[]
  created_at: CreatedAt
}

interface GoogleAccountTable {
  workspace_id: number
  client_email: string
  private_key: string
  created_at: CreatedAt
}

interface ToolCallTable {
  id: Id
  workspace_id: number
  call_id: number
  attempt_id: string
  tool_name: string
  arguments: Json<unknown>
  result: string
  is_error: boolean
  dry_run: boolean
  started_at: At
  duration_ms: number
}

interface AttemptReportTable {
  attempt_id: string
  sequence: number
  body: Json<unknown>
  received_at: CreatedAt
}

interface InvitationTable {
  id: Id
  workspace_id: number
  token_hash: Buffer
  email: string
  role: 'owner' | 'member'
  invited_by: number | null
  created_at: CreatedAt
  expires_at: At
  accepted_at: At | null
}

interface PasswordResetTable {
  token_hash: Buffer
  user_id: number
  created_by: number | null
  created_at: CreatedAt
  expires_at: At
  used_at: At | null
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

interface ContactImportTable {
  id: Id
  workspace_id: number
  user_id: number | null
  file_name: string
  bytes: Buffer | null
  status: Generated<'uploaded' | 'checked' | 'importing' | 'done' | 'failed'>
  error: string | null
  columns: JsonWithDefault<unknown>
  campaign_id: number | null
  fence: Generated<number>
  lease_until: At | null
  attempts: Generated<number>
  created_at: At
  finished_at: At | null
  expires_at: At
}

interface ContactImportRowTable {
  import_id: number
  position: number
  phone_number: string | null
  fields: JsonWithDefault<unknown>
  state: 'new' | 'existing' | 'duplicate' | 'invalid'
  on_do_not_call_list: Generated<boolean>
  issues: JsonWithDefault<unknown>
  result: 'created' | 'updated' | 'failed' | null
  call: 'queued' | 'open' | 'do_not_call' | null
}
