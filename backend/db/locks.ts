import type { CallingHours, CampaignStatus, RetryPolicy } from '@outdial/contract'
import type { AgentValues } from '../agents/agent-store.ts'
import type { Caller } from '../core/caller.ts'
import type { Db } from './schema.ts'

export interface CampaignToReschedule {
  status: CampaignStatus
  time_zone: string
  calling_hours: CallingHours
  reschedule_after_call_id: number
}

/** Holds a campaign whose waiting calls are to follow its change. Undefined where all do. */
export const lockCampaignToReschedule = async (
  tx: Db,
  key: CampaignKey,
): Promise<CampaignToReschedule | undefined> => {
  const row = await tx
    .selectFrom('campaign')
    .select(['status', 'time_zone', 'calling_hours', 'reschedule_after_call_id'])
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.campaignId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const afterCallId = row?.reschedule_after_call_id ?? null
  return row === undefined || afterCallId === null
    ? undefined
    : { ...row, reschedule_after_call_id: afterCallId }
}

/** Holds the contact with this number, so that nobody queues a call to it meanwhile. */
export const lockContactByNumber = async (
  tx: Db,
  workspaceId: number,
  phoneNumber: string,
): Promise<void> => {
  await tx
    .selectFrom('contact')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('phone_number', '=', phoneNumber)
    .where('erased_at', 'is', null)
    .forNoKeyUpdate()
    .execute()
}

export const lockAgent = (
  tx: Db,
  workspaceId: number,
  agentId: number,
): Promise<{ status: AgentValues['status'] } | undefined> =>
  tx
    .selectFrom('agent')
    .select('status')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', agentId)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** What decides when and how a campaign's calls are made. */
export interface CampaignRules {
  id: number
  status: CampaignStatus
  agentId: number
  phoneNumberId: number
  fromNumber: string
  timeZone: string
  callingHours: CallingHours
  retry: RetryPolicy
  /** Attempts in a row that failed because of the telephony provider. */
  providerFailures: number
}

/**
 * Locks a campaign and reads the rules of its calls. Rules change under `FOR UPDATE`, so either the change waits for
 * this transaction and then reschedules its calls too, or this transaction sees the change.
 *
 * `share` lets other transactions queue, claim, and finish calls of the campaign at the same time. `update` makes the
 * ones that count its provider failures take turns. Never take `update` after `share` in one transaction: two that do
 * can deadlock behind a change of the rules.
 */
export const lockCampaign = (
  tx: Db,
  workspaceId: number,
  campaignId: number,
  mode: 'share' | 'update',
): Promise<CampaignRules | undefined> => {
  const query = tx
    .selectFrom('campaign')
    .innerJoin('phone_number', 'phone_number.id', 'campaign.phone_number_id')
    .select([
      'campaign.id',
      'campaign.status',
      'campaign.agent_id as agentId',
      'campaign.phone_number_id as phoneNumberId',
      'phone_number.phone_number as fromNumber',
      'campaign.time_zone as timeZone',
      'campaign.calling_hours as callingHours',
      'campaign.retry',
      'campaign.provider_failures as providerFailures',
    ])
    .where('campaign.workspace_id', '=', workspaceId)
    .where('campaign.id', '=', campaignId)
  return (
    mode === 'share' ? query.forKeyShare('campaign') : query.forNoKeyUpdate('campaign')
  ).executeTakeFirst()
}

/**
 * Holds a contact: what is queued to it, and whether its number is refused, stay as they are until the transaction
 * ends. Undefined where there is none, or none any more.
 */
export const lockContact = (
  tx: Db,
  workspaceId: number,
  contactId: number,
): Promise<{ phone_number: string } | undefined> =>
  tx
    .selectFrom('contact')
    .select('phone_number')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .where('erased_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()

export interface CampaignKey {
  workspaceId: number
  campaignId: number
}

/** Against everybody: what refers to the contact takes a key-share lock, and waits. */
export const lockContactForErasure = (tx: Db, workspaceId: number, contactId: number) =>
  tx
    .selectFrom('contact')
    .select(['phone_number', 'email', 'erased_at'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .forUpdate()
    .executeTakeFirst()

export const lockCallsOfContact = (tx: Db, workspaceId: number, contactId: number) =>
  tx
    .selectFrom('call')
    .select(['id', 'status'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

/** What decides about names happens one after the other in a workspace: two changes must not overlook each other. */
export const lockWorkspace = async (tx: Db, workspaceId: number): Promise<void> => {
  await tx.selectFrom('workspace').select('id').where('id', '=', workspaceId).forNoKeyUpdate().execute()
}

/**
 * Holds the connection behind a caller until the transaction ends, so that whoever ends it meanwhile waits, and
 * then also finds what the caller has made. False where it has already ended.
 */
export async function lockConnection(tx: Db, caller: Caller): Promise<boolean> {
  if (caller.clientId === null) {
    const key = await tx
      .selectFrom('api_key')
      .select('id')
      .where('id', '=', caller.apiKeyId)
      .where('revoked_at', 'is', null)
      .forShare() // revoking is an update, which a key share would let pass
      .executeTakeFirst()
    return key !== undefined
  }
  const grant = await tx
    .selectFrom('oauth_grant')
    .select('id_hash')
    .where('workspace_id', '=', caller.workspaceId)
    .where('user_id', '=', caller.userId)
    .where('client_id', '=', caller.clientId)
    .limit(1)
    .forKeyShare()
    .executeTakeFirst()
  return grant !== undefined
}
