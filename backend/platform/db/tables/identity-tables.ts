import type { CallingHours, Scope } from '@outdial/contract'
import type { Generated, JSONColumnType } from 'kysely'
import type { CreatedAt, Id, JsonWithDefault, TimestampColumn } from './column-types.ts'

/** Users, workspaces, what authenticates them, and the processes that serve them. */
export interface IdentityTables {
  workspace: WorkspaceTable
  app_user: UserTable
  membership: MembershipTable
  former_member: FormerMemberTable
  session: SessionTable
  invitation: InvitationTable
  password_reset: PasswordResetTable
  api_key: ApiKeyTable
  oauth_client: OauthClientTable
  oauth_grant: OauthGrantTable
  oauth_payload: OauthPayloadTable
  credential: CredentialTable
  server_secret: ServerSecretTable
  replica: ReplicaTable
}

interface WorkspaceTable {
  id: Id
  name: string
  country: string
  time_zone: string
  calling_hours: JsonWithDefault<CallingHours>
  /** Allows calls to premium-rate numbers and other numbers that can cost much more. */
  calls_special_numbers: Generated<boolean>
  webhook_secret: string
  number_salt: Generated<Buffer>
  form_id: string | null
  retention_days: number | null
  /** A shorter retention that replaces `retention_days` at `pending_retention_at`. */
  pending_retention_days: number | null
  pending_retention_at: TimestampColumn | null
  previous_webhook_secret: string | null
  previous_webhook_secret_until: TimestampColumn | null
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

interface FormerMemberTable {
  workspace_id: number
  user_id: number
  ended_at: CreatedAt
}

interface SessionTable {
  id: Id
  id_hash: Buffer
  user_id: number
  user_agent: Generated<string>
  created_at: CreatedAt
  last_seen_at: CreatedAt
  expires_at: TimestampColumn
}

interface InvitationTable {
  id: Id
  workspace_id: number
  token_hash: Buffer
  email: string
  role: 'owner' | 'member'
  invited_by: number | null
  created_at: CreatedAt
  expires_at: TimestampColumn
  accepted_at: TimestampColumn | null
}

interface PasswordResetTable {
  token_hash: Buffer
  user_id: number
  created_by: number | null
  created_at: CreatedAt
  expires_at: TimestampColumn
  used_at: TimestampColumn | null
}

interface ApiKeyTable {
  id: Id
  workspace_id: number
  user_id: number
  name: string
  prefix: string
  created_at: CreatedAt
  last_used_at: TimestampColumn | null
  revoked_at: TimestampColumn | null
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
  last_used_at: TimestampColumn | null
}

interface OauthPayloadTable {
  model: string
  id_hash: Buffer
  payload: JSONColumnType<Record<string, unknown>>
  grant_hash: Buffer | null
  uid_hash: Buffer | null
  expires_at: TimestampColumn | null
  consumed_at: TimestampColumn | null
}

interface CredentialTable {
  token_hash: Buffer
  workspace_id: number
  user_id: number
  api_key_id: number | null
  grant_hash: Buffer | null
  client_id: string | null
  scopes: Scope[]
  expires_at: TimestampColumn | null
}

interface ServerSecretTable {
  name: string
  value: string
  created_at: CreatedAt
}

interface ReplicaTable {
  id: string
  role: 'all' | 'api' | 'worker'
  /** Null for processes of an earlier version. */
  has_model: boolean | null
  started_at: CreatedAt
  seen_at: CreatedAt
}
