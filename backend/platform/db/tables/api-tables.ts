import type { Generated } from 'kysely'
import type { CreatedAt, Id, Json, TimestampColumn } from './column-types.ts'

/** The tables in which the API stores data about requests. */
export interface ApiTables {
  idempotent_response: IdempotentResponseTable
  api_request: ApiRequestTable
}

interface IdempotentResponseTable {
  scope_hash: Buffer
  body_hash: Buffer
  workspace_id: number
  status: number
  body: Json<unknown>
  created_at: CreatedAt
  expires_at: TimestampColumn
}

interface ApiRequestTable {
  id: Id
  /** The day of the month in UTC, which selects the partition. */
  day: number
  workspace_id: number
  /** When the request arrived. */
  at: TimestampColumn
  duration_ms: number
  request_id: string
  method: string
  /** The pattern of the path below the API's prefix, such as `/calls/:id/`. */
  route: string
  /** The `:id` of the path, if the workspace has such an object. */
  object_id: number | null
  status: number
  error_code: string | null
  /** Names of fields with an issue. */
  fields: string[]
  /** The code of each issue, in the order of `fields`. Empty for requests of earlier versions. */
  field_codes: Generated<string[]>
  /** Null for a request without an idempotency key. */
  idempotency: 'first' | 'replayed' | null
  user_id: number
  api_key_id: number | null
  client_id: string | null
  /** The name and version of the client, such as `zapier/1.0.0`. */
  client_version: string | null
  /** IDs of the objects that the request created, or that already existed when it tried to create them. */
  contact_id: number | null
  call_id: number | null
  campaign_id: number | null
  subscription_id: number | null
}
