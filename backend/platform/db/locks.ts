import type { CallingHours, CampaignStatus, RetryPolicy } from '@outdial/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Caller } from '../core/caller.ts'
import {
  type CallRules,
  callRulesColumn,
  type CampaignRequirements,
  campaignRequirements,
} from './call-rules.ts'
import { prepared } from './connect.ts'
import type { AgentStatus, Db } from './schema.ts'

// Row locks that several modules take: one function per row and mode. Rows that only one module locks are locked by its
// store. A transaction locks in this order. It can skip steps, but going back can deadlock:
//
//   0. the caller's connection, then idempotency keys (a transaction never waits for the lock of a key)
//   1. rows of imports
//   2. the contact's number, then the contact
//   3. the campaign: `share` or `update`, never one after the other
//   4. the call attempt in progress
//   5. calls, in the order of their IDs
//   6. rows of `number_use`, only for numbers whose attempts in progress are locked
//   7. webhook subscriptions, then callback URLs, in the order of their IDs; then events and deliveries
//   8. the workspaces' own rows of `limit_use`, in the order of their IDs. Claims lock these rows before calls, but never
//      wait: they skip rows and calls that another transaction has locked.
//   9. at the commit, in triggers: advisory locks of campaigns and rows of `campaign_queue`, in the order of campaign IDs
//
// The lock of a number is an advisory lock, because its contact may not exist yet. Transactions that create a contact take
// it, at the latest in the function `upsert_contacts`. Several numbers, and their contacts, are locked in the order of
// the numbers. A transaction that locks only an existing contact, by its ID, doesn't need the number.
// Triggers run in the order in which rows were written. So a transaction that queues calls, or moves them to an earlier time,
// writes them in the order of their campaigns (`inQueueOrder`). Attempts that end together are written in this order, too.
// But all triggers of attempts run before the triggers of calls that are queued again, so two transactions can deadlock if
// campaigns are at their limits. After a deadlock, `calling/dialer/attempt-writer.ts` saves each attempt in a separate
// transaction with only one campaign.
//
// Other rows have a separate order: the workspace, then the sign-in session, the membership, the agent, the tool, and the
// spreadsheet.
//
// Inserting a row takes a key-share lock on the rows that it refers to, and so does the second update of a row in one
// transaction, which checks the foreign keys again. For a call, these locks would break the order, so complete a call in one
// statement.
// Statements that insert notes, reports, or tool calls lock the contact explicitly, so that they wait for its erasure and
// then find it erased.

/**
 * Groups changes of calls by campaign, in the order of the campaigns. Each group needs a statement to itself, because
 * PostgreSQL may update the rows of a statement in any order.
 */
export const inQueueOrder = <Change extends { campaignId: number }>(changes: readonly Change[]): Change[][] =>
  [...Map.groupBy(changes, ({ campaignId }) => campaignId)]
    .sort(([one], [other]) => one - other)
    .map(([, group]) => group)

/** Takes an advisory lock, a bigint, until the transaction ends. Waits for a transaction that has it. */
async function lock(db: Db, key: RawBuilder<unknown>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${key})`.execute(db)
}

/**
 * Takes an advisory lock, a bigint, until the transaction ends. Returns false, without waiting, if another transaction has
 * the lock.
 */
async function tryLock(db: Db, key: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${key}) as locked`.execute(db)
  return rows[0]?.locked === true
}

/**
 * Locks what a form edits until the transaction ends. If two people save at the same time, the second one's transaction waits,
 * and then sees the first one's changes. Take this lock before all others.
 *
 * @param edited identifies the form and what it edits in the workspace
 */
export const lockEdited = (db: Db, workspaceId: number, edited: string): Promise<void> =>
  lock(db, sql`hashtextextended('form of workspace ' || ${workspaceId}::bigint || ' ' || ${edited}, 0)`)

/**
 * Makes other transactions that start a chat of this member wait until this one ends, so that it can count the member's
 * chats. Take this lock before the agent's.
 */
export const lockChatStarts = (db: Db, workspaceId: number, userId: number): Promise<void> =>
  lock(db, sql`hashtextextended('chats of member ' || ${workspaceId}::bigint || ' ' || ${userId}::bigint, 0)`)

interface CampaignToReschedule {
  status: CampaignStatus
  timeZone: string
  callingHours: CallingHours
  requires: CampaignRequirements
  rescheduleAfterCallId: number
}

/** Locks the rescheduling of a campaign. Returns false, without waiting, if another sweeper's transaction has the lock. */
export const tryLockRescheduling = (db: Db, { campaignId }: CampaignKey): Promise<boolean> =>
  tryLock(db, sql`hashtextextended('rescheduling of campaign ' || ${campaignId}::bigint, 0)`)

/**
 * Locks a campaign with queued calls that haven't been rescheduled after a change. Before the first batch, waits for
 * transactions that queue or finish its calls with the old rules. Returns undefined if no calls are left to reschedule.
 */
export const lockCampaignToReschedule = async (
  db: Db,
  key: CampaignKey,
): Promise<CampaignToReschedule | undefined> => {
  const campaign = db
    .selectFrom('campaign')
    .select([
      'status',
      'time_zone as timeZone',
      'calling_hours as callingHours',
      campaignRequirements.as('requires'),
      'reschedule_after_call_id as rescheduleAfterCallId',
    ])
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.campaignId)
  const isFirst = (await campaign.executeTakeFirst())?.rescheduleAfterCallId === 0
  const row = await (isFirst ? campaign.forUpdate() : campaign.forNoKeyUpdate()).executeTakeFirst()
  const rescheduleAfterCallId = row?.rescheduleAfterCallId ?? null
  return row === undefined || rescheduleAfterCallId === null ? undefined : { ...row, rescheduleAfterCallId }
}

/**
 * Locks numbers and the contacts who have them, if there are any. Waits for transactions that create a contact with one of
 * these numbers. Until this transaction ends, no call to these numbers can be queued.
 */
export async function lockNumbers(
  db: Db,
  workspaceId: number,
  phoneNumbers: readonly string[],
): Promise<void> {
  for (const phoneNumber of phoneNumbers.toSorted()) {
    await lock(db, sql`contact_lock(${workspaceId}, ${phoneNumber})`)
    // A separate statement, because it must see a contact that was created while the first statement waited.
    await db
      .selectFrom('contact')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('phone_number', '=', phoneNumber)
      .where('erased_at', 'is', null)
      .forNoKeyUpdate()
      .execute()
  }
}

/** Locks an agent, so that its status and its assigned tools don't change until the transaction ends. */
export const lockAgent = (
  db: Db,
  workspaceId: number,
  agentId: number,
): Promise<{ status: AgentStatus; version: number; newest_version: number } | undefined> =>
  db
    .selectFrom('agent')
    .select(['status', 'version', 'newest_version'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', agentId)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** The settings of a campaign that determine when and how its calls are made. */
export interface CampaignRules {
  id: number
  status: CampaignStatus
  agentId: number
  /** The names of the variables that the agent uses. */
  agentVariables: string[]
  agentGreeting: string
  phoneNumberId: number
  fromNumber: string
  timeZone: string
  callingHours: CallingHours
  requires: CampaignRequirements
  retry: RetryPolicy
  /** The number of attempts in a row that failed because of the telephony provider. */
  providerFailures: number
  /** Rules of the workspace, which apply unless calls are simulated. */
  rules: CallRules
}

/**
 * Locks a campaign and reads the rules of its calls. Rules change under `FOR UPDATE`, so either the change waits for
 * this transaction and then reschedules its calls too, or this transaction sees the change.
 *
 * `share` lets other transactions queue, claim, and finish calls of the campaign at the same time. `update` serializes
 * transactions that count its provider failures. Never take `update` after `share` in one transaction: two such
 * transactions can deadlock with a change of the rules.
 */
export const lockCampaign = async (
  db: Db,
  workspaceId: number,
  campaignId: number,
  mode: 'share' | 'update',
): Promise<CampaignRules | undefined> => (await lockCampaigns(db, workspaceId, [campaignId], mode))[0]

/**
 * Locks campaigns like `lockCampaign`, in the order of their IDs.
 *
 * @param options.skipLocked doesn't wait for campaigns that another transaction has locked, and doesn't return them
 */
export const lockCampaigns = (
  db: Db,
  workspaceId: number,
  campaignIds: readonly number[],
  mode: 'share' | 'update',
  { skipLocked = false }: { skipLocked?: boolean } = {},
): Promise<CampaignRules[]> => {
  const query = db
    .selectFrom('campaign')
    .innerJoin('phone_number', 'phone_number.id', 'campaign.phone_number_id')
    .innerJoin('agent', 'agent.id', 'campaign.agent_id')
    .leftJoin('call_rules', 'call_rules.workspace_id', 'campaign.workspace_id')
    .select([
      'campaign.id',
      'campaign.status',
      'campaign.agent_id as agentId',
      'agent.variables as agentVariables',
      'agent.greeting as agentGreeting',
      'campaign.phone_number_id as phoneNumberId',
      'phone_number.phone_number as fromNumber',
      'campaign.time_zone as timeZone',
      'campaign.calling_hours as callingHours',
      campaignRequirements.as('requires'),
      'campaign.retry',
      'campaign.provider_failures as providerFailures',
      callRulesColumn.as('rules'),
    ])
    .modifyFront(prepared)
    .where('campaign.workspace_id', '=', workspaceId)
    .where('campaign.id', '=', sql<number>`any(${campaignIds}::bigint[])`)
    .orderBy('campaign.id')
  const locking = mode === 'share' ? query.forKeyShare('campaign') : query.forNoKeyUpdate('campaign')
  return (skipLocked ? locking.skipLocked() : locking).execute()
}

/**
 * Locks campaigns in the mode `share`, without waiting. Returns the existing campaigns by their IDs, or `busy` for a campaign
 * that another transaction has locked.
 */
export async function tryLockCampaigns(
  db: Db,
  workspaceId: number,
  campaignIds: readonly number[],
): Promise<Map<number, CampaignRules | 'busy'>> {
  const locked = await lockCampaigns(db, workspaceId, campaignIds, 'share', { skipLocked: true })
  const byId = new Map<number, CampaignRules | 'busy'>(locked.map((campaign) => [campaign.id, campaign]))
  const missingIds = campaignIds.filter((id) => !byId.has(id))
  if (missingIds.length === 0) return byId
  const busy = await db
    .selectFrom('campaign')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', missingIds)
    .execute()
  busy.forEach(({ id }) => byId.set(id, 'busy'))
  return byId
}

/**
 * Locks a campaign to change it. Returns false if the campaign doesn't exist.
 *
 * @param mode `rules` waits for transactions that queue or finish calls, and then blocks new ones. So such a transaction
 *   either sees the old rules, and the change finds its calls, or it sees the new rules. While `rules` waits, other such
 *   transactions can start, so it can take long if many processes queue calls. `pause` waits only for claims and for other
 *   changes.
 */
export const lockCampaignForChange = async (
  db: Db,
  { workspaceId, campaignId }: CampaignKey,
  mode: 'rules' | 'pause',
): Promise<boolean> => {
  const query = db
    .selectFrom('campaign')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', campaignId)
  const row = await (mode === 'rules' ? query.forUpdate() : query.forNoKeyUpdate()).executeTakeFirst()
  return row !== undefined
}

/**
 * Locks a contact, so that its queued calls and its do-not-call status don't change until the transaction ends. Returns
 * undefined if the contact doesn't exist or was erased.
 */
export const lockContact = (
  db: Db,
  workspaceId: number,
  contactId: number,
): Promise<{ phoneNumber: string } | undefined> =>
  db
    .selectFrom('contact')
    .select('phone_number as phoneNumber')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .where('erased_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Locks a contact's number and then the contact. Needed if the transaction also locks the contact by its number. */
export const lockContactWithNumber = async (
  db: Db,
  workspaceId: number,
  contactId: number,
): Promise<{ phoneNumber: string } | undefined> => {
  await sql`
    select pg_advisory_xact_lock(contact_lock(workspace_id, phone_number)) from contact
    where workspace_id = ${workspaceId} and id = ${contactId} and erased_at is null`.execute(db)
  return lockContact(db, workspaceId, contactId)
}

export interface CampaignKey {
  workspaceId: number
  campaignId: number
}

/** Locks a contact like `lockContact`, even if the contact was erased. */
export const lockContactForErasure = (db: Db, workspaceId: number, contactId: number) =>
  db
    .selectFrom('contact')
    .select(['phone_number as phoneNumber', 'email', 'erased_at as erasedAt'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .forNoKeyUpdate()
    .executeTakeFirst()

/**
 * Locks the campaigns of the queued calls to a contact or to numbers against changes of the campaigns' rules. If the
 * transaction may lock a campaign after it has locked these calls, call this function before it locks the calls.
 */
export const lockCampaignsOfQueuedCalls = (
  db: Db,
  workspaceId: number,
  to: { contactId: number } | { phoneNumbers: readonly string[] },
) =>
  db
    .selectFrom('campaign')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', (eb) => {
      const queued = eb
        .selectFrom('call')
        .select('campaign_id')
        .where('workspace_id', '=', workspaceId)
        .where('status', '=', 'queued')
      return 'contactId' in to
        ? queued.where('contact_id', '=', to.contactId)
        : queued.where('to_number', '=', sql<string>`any(${to.phoneNumbers}::text[])`)
    })
    .orderBy('id')
    .forKeyShare()
    .execute()

/** Locks all calls of a contact, in the order of their IDs. */
export const lockCallsOfContact = (db: Db, workspaceId: number, contactId: number) =>
  db
    .selectFrom('call')
    .select(['id', 'status'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

/** Locks a call. Transactions that write the call's event lock it, too. */
export const lockCall = async (db: Db, workspaceId: number, callId: number): Promise<void> => {
  await db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', callId)
    .forNoKeyUpdate()
    .execute()
}

/** Locks a workspace, so that changes of its members and of its tools' names happen one after the other. */
export const lockWorkspace = async (db: Db, workspaceId: number): Promise<void> => {
  await db.selectFrom('workspace').select('id').where('id', '=', workspaceId).forNoKeyUpdate().execute()
}

/**
 * Locks the connection of a caller. A transaction that ends the connection waits for this one, and then also finds what
 * this one created. Returns false if the connection has ended.
 */
export async function lockConnection(db: Db, caller: Caller): Promise<boolean> {
  if (caller.clientId === null) {
    const key = await db
      .selectFrom('api_key')
      .select('id')
      .where('id', '=', caller.apiKeyId)
      .where('revoked_at', 'is', null)
      .forShare() // revoking is an update, which a key-share lock doesn't block
      .executeTakeFirst()
    return key !== undefined
  }
  const grant = await db
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
