import { randomUUID } from 'node:crypto'
import type { CallingHours, RetryPolicy } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { newWebhookSecret } from '../../secrets/secret-box.ts'

/** Ids of a workspace that can call: one user, one Live agent, one active number, one campaign. */
export interface Seed {
  workspaceId: number
  userId: number
  agentId: number
  phoneNumberId: number
  campaignId: number
}

export const everyHour: CallingHours = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  start: '00:00',
  end: '24:00',
}

export const noRetry: RetryPolicy = { max_attempts: 1, delay_minutes: 60, on: [] }

/** Rows that the public API cannot make. */
export async function seedWorkspace(deps: Pick<Deps, 'db' | 'secretBox'>, name = 'Acme'): Promise<Seed> {
  const { db, secretBox } = deps
  const workspace = await db
    .insertInto('workspace')
    .values({
      name,
      country: 'US',
      time_zone: 'America/New_York',
      webhook_secret: secretBox.seal(newWebhookSecret()),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const user = await db
    .insertInto('app_user')
    .values({ email: `${randomUUID()}@example.com`, name: 'Robin', password_hash: 'none' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('membership')
    .values({ workspace_id: workspace.id, user_id: user.id, role: 'owner' })
    .execute()
  const agentId = await seedAgent(deps, workspace.id)
  const phoneNumberId = await seedPhoneNumber(deps, workspace.id)
  const campaignId = await seedCampaign(deps, { workspaceId: workspace.id, agentId, phoneNumberId })
  return { workspaceId: workspace.id, userId: user.id, agentId, phoneNumberId, campaignId }
}

export async function seedAgent(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  values: { name?: string; status?: 'draft' | 'live' | 'paused' } = {},
): Promise<number> {
  const row = await db
    .insertInto('agent')
    .values({ workspace_id: workspaceId, name: 'Ava', status: 'live', variables: ['product'], ...values })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** The id by which the runtime knows an agent. */
export async function getWidgetId({ db }: Pick<Deps, 'db'>, agentId: number): Promise<string> {
  const row = await db
    .selectFrom('agent')
    .select('widget_id')
    .where('id', '=', agentId)
    .executeTakeFirstOrThrow()
  return row.widget_id
}

let phoneNumberCount = 0

export async function seedPhoneNumber(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  values: { label?: string; status?: 'active' | 'retired' } = {},
): Promise<number> {
  phoneNumberCount += 1
  const row = await db
    .insertInto('phone_number')
    .values({
      workspace_id: workspaceId,
      phone_number: `+1202556${String(phoneNumberCount).padStart(4, '0')}`,
      label: 'Sales',
      country: 'US',
      ...values,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

export async function seedCampaign(
  { db }: Pick<Deps, 'db'>,
  values: {
    workspaceId: number
    agentId: number
    phoneNumberId: number
    name?: string
    callingHours?: CallingHours
    timeZone?: string
    maxConcurrentCalls?: number
    retry?: RetryPolicy
  },
): Promise<number> {
  const row = await db
    .insertInto('campaign')
    .values({
      workspace_id: values.workspaceId,
      name: values.name ?? 'Leads',
      agent_id: values.agentId,
      phone_number_id: values.phoneNumberId,
      time_zone: values.timeZone ?? 'America/New_York',
      calling_hours: JSON.stringify(values.callingHours ?? everyHour),
      max_concurrent_calls: values.maxConcurrentCalls ?? 5,
      retry: JSON.stringify(values.retry ?? noRetry),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}
