import type { CallingHours, CallStatus, CampaignStatus } from '@outdial/contract'
import { sql } from 'kysely'
import type { Actor, CallOrigin } from '../core/actor.ts'
import { prepared } from '../db/connect.ts'
import type { AgentStatus, Db } from '../db/schema.ts'
import type { CallSettings } from '../db/tables/call-tables.ts'
import type { ContactFieldValues } from '../db/tables/contact-fields.ts'
import type { ContactValues } from './contact-store.ts'

/** A request as the function `add_contacts` takes it. */
export interface AddContactRow {
  token_hash: string
  scope_lock: string | null
  scope_hash: string | null
  body_hash: string | null
  phone_number: string
  changes: ContactValues
  changed_by: Actor
  time_zone: string | null
  campaign_id: number
  rules_version: number | null
  test: boolean
  additional: boolean
  scheduled_at: Date | null
  due_at: Date
  next_attempt_at: Date
  metadata: Record<string, string>
  origin: CallOrigin
  zones: Partial<Pick<CallSettings, 'time_zones' | 'time_zone_source'>>
}

/** An open call with its contact, as the database returns it in JSON: times are texts. */
export interface OpenCallRow extends Omit<ContactFieldValues, 'consent_at'> {
  id: number
  workspace_id: number
  status: CallStatus
  next_attempt_at: string | null
  due_at: string
  test: boolean
  campaign_id: number
  campaign_name: string
  agent_id: number
  agent_name: string
  from_number: string
  to_number: string
  attempts: number
  origin: CallOrigin | null
  scheduled_at: string | null
  queued_at: string
  answered_at: string | null
  metadata: Record<string, string>
  campaign_status: CampaignStatus
  agent_status: AgentStatus
  number_status: 'active' | 'retired'
  at_capacity: boolean
  contact_id: number
  phone_number: string
  consent_at: string | null
  created_at: string
  updated_at: string
  do_not_call: boolean
}

/** What a request did. Also stored as the response of its idempotency key. */
export interface AddedRow {
  /** For erasing it. */
  contact: { id: number }
  row: OpenCallRow
  at: string
  contact_created: boolean
  call_queued: boolean
}

/** What a call must be planned with. */
export interface PlanRow {
  rules_version: number
  calling_hours: CallingHours
  campaign_time_zone: string
  contact_time_zone: string | null
}

/** The result of one request. The migration that creates `add_contacts` describes them. */
export type AddContactResult =
  | { result: 'done'; body: AddedRow }
  | { result: 'replayed'; body: { status: number; body: unknown } }
  | { result: 'other_plan'; body: PlanRow }
  | {
      result:
        | 'key_in_use'
        | 'key_reused'
        | 'unauthorized'
        | 'campaign_not_found'
        | 'campaign_archived'
        | 'too_many_variables'
        | 'alone'
    }

/**
 * Adds contacts and queues their calls in one statement. Returns a result for each request, in the same order.
 *
 * @param options.responseExpiresAt until when the responses are stored for the idempotency keys
 */
export async function addContactRows(
  db: Db,
  workspaceId: number,
  requests: readonly AddContactRow[],
  options: { at: Date; responseExpiresAt: Date; maxVariables: number },
): Promise<AddContactResult[]> {
  const items = JSON.stringify(requests.map((request, item) => ({ item, ...request })))
  const { rows } = await sql<AddContactResult & { item: number }>`${prepared}
    select item, result, body from add_contacts(
      ${workspaceId}, ${options.at}, ${items}, ${options.responseExpiresAt}, ${options.maxVariables}
    )`.execute(db)
  return rows.toSorted((one, other) => one.item - other.item)
}
