import type { CallingHours } from '@outdial/contract'
import { type RawBuilder, sql } from 'kysely'
import {
  type CallRules,
  callRulesColumn,
  type CampaignRequirements,
  campaignRequirements,
  type Consent,
  consentOfContact,
  hadConversation,
  type StoredNumber,
  storedNumberOfCallee,
} from '../../platform/db/call-rules.ts'
import { hidden, prepared } from '../../platform/db/connect.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { CallSettings, DialedWith } from '../../platform/db/tables/call-tables.ts'
import { type AgentValues, toAgentValues } from '../../queue/agents/agent-values.ts'
import { currentSettings } from '../../queue/calls/call-settings.ts'
import { freeCapacity, isDue, isNumberBusy, mayCampaignCall } from '../../queue/calls/can-call.ts'

/** A locked call, with everything that the claim and the telephony provider need. */
export interface CallToDial {
  id: number
  workspaceId: number
  campaignId: number
  campaignName: string
  callingHours: CallingHours
  campaignTimeZone: string
  contactTimeZone: string | null
  firstName: string | null
  lastName: string | null
  variables: Record<string, string>
  scheduledAt: Date | null
  /** The agent's public UUID, which the runtime API calls widget_id. */
  widgetId: string
  agentId: number
  /** The version of the agent that makes the call. `agent` has the values of this version. */
  agentVersion: number
  agent: AgentValues
  fromNumber: string
  toNumber: string
  /** The current settings. Null if they're the same as those in `queuedWith`. */
  settings: Partial<CallSettings> | null
  /** The settings at the time when the call was queued. Null for calls from before these settings were stored. */
  queuedWith: Partial<CallSettings> | null
}

/** A row with the columns that `callToDialColumns` selects. */
export interface CallToDialRow extends Omit<CallToDial, 'agent'> {
  agentColumns: { published: number; name: string; language: string; greeting: string; variables: string[] }
  /** The values of the agent's version. Only the first row of each version has them, because they can be long. */
  versionValues: unknown
}

/**
 * Selects the columns of `CallToDialRow` from call, campaign, agent, and contact.
 *
 * @param version the number of the agent's version that makes the call
 */
export const callToDialColumns = (version: RawBuilder<number>) => sql`
  call.id, call.workspace_id as "workspaceId", call.campaign_id as "campaignId",
  campaign.name as "campaignName", campaign.calling_hours as "callingHours",
  campaign.time_zone as "campaignTimeZone", contact.time_zone as "contactTimeZone",
  contact.first_name as "firstName", contact.last_name as "lastName", contact.variables,
  call.scheduled_at as "scheduledAt", agent.widget_id as "widgetId", agent.id as "agentId",
  ${version} as "agentVersion",
  json_build_object('published', agent.version, 'name', agent.name, 'language', agent.language,
    'greeting', agent.greeting, 'variables', agent.variables) as "agentColumns",
  case when row_number() over (partition by agent.id, ${version} order by call.id) = 1 then (
    select "values" from agent_version where agent_id = agent.id and number = ${version}
  ) end as "versionValues",
  call.from_number as "fromNumber", call.to_number as "toNumber",
  nullif(${currentSettings}, call.queued_with - '{time_zones,time_zone_source}'::text[]) as settings,
  call.queued_with as "queuedWith"`

/**
 * Adds the agent to rows. The rows must be in the order of their IDs, because only the first row of a version has its values.
 */
export function withAgents<Row extends CallToDialRow>(rows: readonly Row[]): (Row & CallToDial)[] {
  const agents = new Map<string, AgentValues>()
  return rows.map((row) => {
    const key = `${row.agentId}:${row.agentVersion}`
    const agent =
      agents.get(key) ??
      toAgentValues({ ...row.agentColumns, number: row.agentVersion, values: row.versionValues })
    agents.set(key, agent)
    return { ...row, agent }
  })
}

const activeJoins = sql`
  join campaign on campaign.id = call.campaign_id
  join agent on agent.id = call.agent_id
  join phone_number on phone_number.id = call.phone_number_id and ${mayCampaignCall}
  join contact on contact.id = call.contact_id`

/** Locks the calls that have been due longest, at most `shares.get(campaignId)` per campaign. Returns their IDs. */
export async function lockDueCalls(
  db: Db,
  shares: ReadonlyMap<number, number>,
  now: Date,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`${prepared}
    select due.id
    from unnest(${hidden([...shares.keys()], 'bigint[]')}, ${hidden([...shares.values()], 'int[]')}) as share (campaign_id, take)
    cross join lateral (
      select call.id from call
      where call.campaign_id = share.campaign_id and ${isDue(now)} and not ${isNumberBusy}
      order by call.next_attempt_at, call.id
      limit share.take
      for no key update skip locked
    ) as due`.execute(db)
  return rows.map(({ id }) => id)
}

/** Locks test calls that are due, alternating between workspaces. Returns their IDs. */
export async function lockDueTestCalls(db: Db, capacity: number, now: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`${prepared}
    select call.id
    from (
      select id, row_number() over (partition by workspace_id order by next_attempt_at, id) as turn
      from (
        select call.id, call.workspace_id, call.next_attempt_at
        from call ${activeJoins}
        where call.status = 'queued' and call.test and call.next_attempt_at <= ${hidden(now, 'timestamptz')}
        order by call.next_attempt_at, call.id
        limit 1000
      ) as due
      order by turn, id
      limit ${hidden(capacity, 'int')}
    ) as next
    join call on call.id = next.id
    where call.status = 'queued'
    order by call.id
    for no key update of call skip locked`.execute(db)
  return rows.map(({ id }) => id)
}

/** A locked call, with everything that the rules check about its contact. */
export interface CallToCheck extends CallToDial {
  dueAt: Date
  consent: Consent | null
  storedNumber: StoredNumber
  /** True if the frequency limits don't delay the attempt. */
  isExempt: boolean
  /** True for a scheduled callback. */
  isCallback: boolean
}

/**
 * Matches a call whose next attempt the frequency limits don't delay. A scheduled callback must be from a call that had a
 * conversation. The claim checks this, because runtimes send that call's transcript only after the callback was scheduled.
 */
const isExempt = sql<boolean>`(
  call.exempt and call.attempts = 0 and (call.origin ->> 'kind' <> 'scheduled_callback' or exists (
    select from call as conversation
    where conversation.workspace_id = call.workspace_id and conversation.id = (call.origin ->> 'call_id')::bigint
      and ${hadConversation('conversation')}
  ))
)`

/** Returns locked calls whose campaign, agent, and number are active. */
export async function findCallsToDial(db: Db, ids: readonly number[]): Promise<CallToCheck[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CallToDialRow & CallToCheck>`${prepared}
    select ${callToDialColumns(sql`agent.version`)}, call.due_at as "dueAt", ${consentOfContact} as consent,
      ${storedNumberOfCallee} as "storedNumber", ${isExempt} as "isExempt",
      coalesce(call.origin ->> 'kind' = 'scheduled_callback', false) as "isCallback"
    from call ${activeJoins}
    where call.id = any(${hidden(ids, 'bigint[]')})
    order by call.id`.execute(db)
  return withAgents(rows)
}

/**
 * How many attempts' times are stored per number. It's above the highest limit, because unplaced attempts are removed again.
 */
const storedAttempts = 60

export interface NewAttempt {
  id: string
  fence: number
  callId: number
  number: number
}

/** A locked call, and what its attempt stores about how it was dialed. */
export interface DialedCall {
  id: number
  agent_version: number
  dialed_with: DialedWith
  /** The hash of the phone number, in hex. */
  number_hash: string
  /** When the number was last called, as far as the claim knew when it decided. Null if it wasn't called before. */
  last_placed_at: string | null
}

/**
 * Starts an attempt for each locked call. The lease uses the database's clock. A call stays queued if another
 * transaction is already calling its number; the partial unique index decides. Inserts in order of phone number so that
 * two dialers can't deadlock.
 *
 * @param lease.isCounted true if the attempts count for the limits of how often a number is called
 */
export async function startAttempts(
  db: Db,
  calls: readonly DialedCall[],
  lease: { provider: string; workerId: string; leaseMs: number; now: Date; isCounted: boolean },
): Promise<NewAttempt[]> {
  const { rows } = await sql<NewAttempt>`${prepared}
    with dialed as materialized (
      select id, agent_version, dialed_with, decode(number_hash, 'hex') as number_hash, last_placed_at
      from json_to_recordset(${JSON.stringify(calls)})
        as dialed (id bigint, agent_version int, dialed_with jsonb, number_hash text, last_placed_at timestamptz)
    ), started as (
      insert into call_attempt (
        workspace_id, call_id, campaign_id, number, to_number, test, provider, worker_id, lease_until, started_at,
        agent_version, dialed_with
      )
      select workspace_id, call.id, campaign_id, attempts + 1, to_number, test, ${lease.provider}, ${lease.workerId}::uuid,
        clock_timestamp() + ${lease.leaseMs}::float8 * interval '1 millisecond', ${lease.now},
        dialed.agent_version, dialed.dialed_with
      from dialed
      join call on call.id = dialed.id
      -- Skips a call if another worker has placed an attempt to its number since this claim read number_use.
      where not ${hidden(lease.isCounted, 'boolean')} or dialed.last_placed_at is not distinct from (
        select placed_at[cardinality(placed_at)] from number_use
        where number_use.workspace_id = call.workspace_id and number_use.number_hash = dialed.number_hash
      )
      order by workspace_id, to_number, call.id
      on conflict (workspace_id, to_number) where ended_at is null and not test do nothing
      returning id, fence, call_id, number, agent_version, workspace_id, to_number
    ), counted as (
      insert into number_use (workspace_id, number_hash, placed_at)
      select workspace_id, number_hash, array[${lease.now}::timestamptz]
      from started join dialed on dialed.id = call_id
      where ${hidden(lease.isCounted, 'boolean')}
      order by workspace_id, to_number
      on conflict (workspace_id, number_hash) do update
      -- Keeps only the newest ${sql.lit(storedAttempts)} times.
      set placed_at = (number_use.placed_at || excluded.placed_at)
        [greatest(1, cardinality(number_use.placed_at) + 2 - ${sql.lit(storedAttempts)}):]
    ), dialing as (
      -- Uses no join: PostgreSQL would plan it for the call IDs of earlier attempts, and could read all calls with lower IDs.
      update call set status = 'dialing', attempts = attempts + 1, next_attempt_at = null, delayed_by = null,
        agent_version = (select started.agent_version from started where started.call_id = call.id)
      where id = any(array(select call_id from started))
    )
    select id, fence, call_id as "callId", number from started`.execute(db)
  return rows
}

/** How many campaigns a claim considers. */
export const maxCampaigns = 10

/** How many campaigns at the front of the queue a claim compares, so that their workspaces take turns. */
const queueWindow = 200
/** How many workspaces a claim checks for campaigns further back in the queue, if more campaigns are waiting. */
const maxWorkspaces = 64

/** A dialer's position among the workspaces. The dialer remembers it between claims. */
export interface DialerTurns {
  /** The workspace that the dialer checked last. */
  workspaceId: number
  /** Resolves when the next turns of the campaigns in the dialer's last claim are settled. The next claim waits for that. */
  settled: Promise<void>
}

export const newDialerTurns = (): DialerTurns => ({ workspaceId: 0, settled: Promise.resolve() })

/** Selects the first campaign in the queue of the next workspace that has one. After the last workspace, the first is next. */
const nextWorkspace = (after: RawBuilder<unknown>) => {
  const firstAfter = (workspaceId: RawBuilder<unknown>) => sql`(
    select workspace_id, campaign_id, claim_at from campaign_queue
    where claim_at is not null and workspace_id > ${workspaceId}
    order by workspace_id, claim_at
    limit 1
  )`
  return sql`${firstAfter(after)} union all ${firstAfter(sql`0`)} limit 1`
}

/**
 * Locks up to 10 campaigns that may have calls to claim. Workspaces take turns, and so do the campaigns of each
 * workspace. Skips campaigns that another dialer has locked. A `NO KEY` lock doesn't block requests that queue calls.
 *
 * The cost doesn't depend on how many campaigns and workspaces are waiting. If only the campaigns at the front of the queue
 * were compared, those of one workspace could crowd out another's. So this adds the first campaign of other workspaces. It
 * finds them with an index, and starts after the workspace in `turns`.
 */
export async function lockNextCampaigns(db: Db, now: Date, turns = newDialerTurns()): Promise<number[]> {
  const { rows } = await sql<{ id: number; lastWorkspaceId: number | null }>`${prepared}
    with recursive clock as materialized (
      -- The later of both clocks: claim_at is often from the database's clock, and a test's clock doesn't always advance.
      select greatest(${now}, clock_timestamp()) as now
    ), first as materialized (
      select campaign_id, workspace_id, claim_at from campaign_queue
      where claim_at <= (select now from clock)
      order by claim_at
      limit ${sql.lit(queueWindow)}
    ), workspace as (
      select next.*, next.workspace_id as start_id, 1 as position
      from (${nextWorkspace(sql`${turns.workspaceId}::bigint`)}) as next
      -- Looks for other workspaces only if "first" is full. Otherwise, "first" already has all campaigns that are waiting.
      where (select count(*) from first) = ${sql.lit(queueWindow)}
      union all
      select next.*, start_id, position + 1
      from workspace cross join lateral (${nextWorkspace(sql`workspace.workspace_id`)}) as next
      where position < ${sql.lit(maxWorkspaces)} and next.workspace_id <> start_id
    ), waiting as materialized (
      select campaign_id, workspace_id, claim_at from first
      union
      select campaign_id, workspace_id, claim_at from workspace where claim_at <= (select now from clock)
    ), served as materialized (
      select workspace_id, (
          select claimed_at from campaign_queue
          where campaign_queue.workspace_id = workspaces.workspace_id and claimed_at is not null
          order by claimed_at desc limit 1
        ) as served_at
      from (select distinct workspace_id from waiting) as workspaces
    ), next as (
      select campaign_id, served_at,
        row_number() over (partition by workspace_id order by claim_at, campaign_id) as turn
      from waiting join served using (workspace_id)
    )
    select locked.id, (select workspace_id from workspace order by position desc limit 1) as "lastWorkspaceId"
    from (select campaign_id from next order by turn, served_at nulls first, campaign_id) as next
    -- The join is lateral, because for a plain join, PostgreSQL could read all campaigns.
    cross join lateral (
      select id from campaign where id = next.campaign_id for no key update skip locked
    ) as locked
    limit ${sql.lit(maxCampaigns)}`.execute(db)
  turns.workspaceId = rows[0]?.lastWorkspaceId ?? turns.workspaceId
  return rows.map((row) => row.id)
}

/** A locked campaign, and how many calls it can start. */
export interface CountedCampaign {
  id: number
  workspaceId: number
  phoneNumberId: number
  free: number
  /** How many of the calls that the campaign can start are due. */
  due: number
  /** The rules for the campaign's calls. Simulated calls don't follow them. */
  rules: CallRules
  requires: CampaignRequirements
}

/**
 * Counts how many calls each locked campaign can start, and how many of these are due. A campaign that isn't active can
 * start none. Also counts calls whose number is already being called, because excluding them here would take half the time
 * of a claim. `lockDueCalls` skips them. The result is in the order of `campaignIds`.
 */
export async function countCapacity(
  db: Db,
  campaignIds: readonly number[],
  capacity: number,
  now: Date,
): Promise<CountedCampaign[]> {
  const { rows } = await sql<CountedCampaign>`${prepared}
    select campaign.id, campaign.workspace_id as "workspaceId", campaign.phone_number_id as "phoneNumberId",
      capacity.free, ${callRulesColumn} as rules, ${campaignRequirements} as requires,
      (select count(*) from (
        select from call where call.campaign_id = campaign.id and ${isDue(now)}
        limit greatest(0, least(${capacity}::int, capacity.free))
      ) as waiting) as due
    from campaign
    join agent on agent.id = campaign.agent_id
    join phone_number on phone_number.id = campaign.phone_number_id
    left join call_rules on call_rules.workspace_id = campaign.workspace_id
    cross join lateral (
      select case when ${mayCampaignCall} then ${freeCapacity()} else 0 end as free
    ) as capacity
    where campaign.id = any(${hidden(campaignIds, 'bigint[]')})
    order by array_position(${campaignIds}::bigint[], campaign.id)`.execute(db)
  return rows
}

/**
 * Decides when campaigns get their next turn. Those that were served go to the end of the queue. Call it outside of
 * transactions, because requests that queue calls can wait for its locks. Its commit doesn't wait for the disk: a crash of
 * PostgreSQL can undo the change, but that doesn't delay calls.
 */
export async function settleCampaigns(
  db: Db,
  campaignIds: readonly number[],
  servedIds: readonly number[],
  now: Date,
): Promise<void> {
  await sql`${prepared}
    select set_config('synchronous_commit', 'off', true), settle_campaigns(${campaignIds}, ${servedIds}, ${now})`.execute(
    db,
  )
}
