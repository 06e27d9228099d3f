import type {
  CallingHours,
  Campaign,
  CampaignCreated,
  CampaignQuery,
  CreateCampaign,
  RetryPolicy,
} from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { fieldError, notFound } from '../../platform/core/errors.ts'
import { campaignPageUrl } from '../../platform/core/page-urls.ts'
import { type Page, toPage } from '../../platform/core/pagination.ts'
import { type CallRules, findCallRules } from '../rules/call-rules.ts'
import { findOpening } from '../rules/plan-call.ts'
import {
  findCampaign,
  findCampaignContext,
  insertCampaign,
  selectCampaigns,
  selectOpenCampaigns,
  type StoredCampaign,
} from './campaign-store.ts'
import { findConflicts } from './find-conflicts.ts'

export const defaultRetry: RetryPolicy = { max_attempts: 3, delay_minutes: 60, on: ['no_answer', 'busy'] }
export const defaultMaxConcurrentCalls = 5

/**
 * Creates a campaign. Omitted values, including single parts of the calling hours and the retry policy, use the
 * workspace's values or the defaults.
 *
 * @throws {ApiError} not_found, agent_not_live, number_not_active, validation_failed
 */
export async function createCampaign(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  caller: Caller,
  input: CreateCampaign,
): Promise<CampaignCreated & Required<Pick<CampaignCreated, 'warnings'>>> {
  const context = await findCampaignContext(deps.db, caller.workspaceId, {
    agentId: input.agent_id,
    phoneNumberId: input.phone_number_id,
  })
  requireLiveAgent(context.agentStatus)
  requireActiveNumber(context.numberStatus)

  const campaign = await insertCampaign(deps.db, caller.workspaceId, {
    name: input.name,
    agentId: input.agent_id,
    phoneNumberId: input.phone_number_id,
    timeZone: input.time_zone ?? context.timeZone,
    callingHours: mergeHours(context.callingHours, input.calling_hours ?? {}),
    maxConcurrentCalls: input.max_concurrent_calls ?? defaultMaxConcurrentCalls,
    retry: { ...defaultRetry, ...input.retry },
    ...readConsentRule(input),
    oneConversationPerDay: input.one_conversation_per_day ?? false,
    closedOnFederalHolidays: input.closed_on_federal_holidays ?? false,
    createdAt: deps.clock.now(),
  })
  const rules = await findCallRules(deps, caller.workspaceId)
  const { calling_hours: callingHours, retry } = campaign
  return {
    ...toShown(deps, { workspaceId: caller.workspaceId, rules }, campaign),
    warnings: findConflicts(rules, { callingHours, retry }),
  }
}

function toShown(
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  { workspaceId, rules }: { workspaceId: number; rules: CallRules | null },
  campaign: StoredCampaign,
): Campaign {
  const now = clock.now()
  const opensAt = findOpening(rules, campaign, now)
  return {
    ...campaign,
    opens_at: opensAt === undefined || opensAt <= now ? null : opensAt.toISOString(),
    url: campaignPageUrl(config, workspaceId, campaign.id),
  }
}

function requireLiveAgent(status: string | null): void {
  if (status === null) throw fieldError('agent_id', 'not_found.object', { object: 'agent' })
  if (status === 'live') return
  throw fieldError('agent_id', 'agent_not_live')
}

function requireActiveNumber(status: string | null): void {
  if (status === null) throw fieldError('phone_number_id', 'not_found.object', { object: 'phone number' })
  if (status === 'active') return
  throw fieldError('phone_number_id', 'number_not_active')
}

/**
 * Returns which consent a campaign requires. A maximum age without a required consent counts if the workspace's rules require
 * consent.
 */
export const readConsentRule = ({
  consent_required: consentRequired,
  consent_max_age_days: maxAge,
}: Pick<CreateCampaign, 'consent_required' | 'consent_max_age_days'>) => ({
  consentRequired: consentRequired ?? ('none' as const),
  consentMaxAgeDays: maxAge ?? null,
})

function mergeHours(base: CallingHours, overrides: Partial<CallingHours>): CallingHours {
  const hours = { ...base, ...overrides }
  if (hours.start !== hours.end) return hours
  throw fieldError('calling_hours.end', 'empty_calling_hours')
}

/** Lists the workspace's campaigns, including archived ones unless `status` leaves them out. */
export async function listCampaigns(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  { workspaceId }: Caller,
  query: CampaignQuery,
): Promise<Page<Campaign>> {
  const campaigns = await selectCampaigns(deps.db, workspaceId, query)
  const rules = await findCallRules(deps, workspaceId)
  return toPage(
    campaigns.map((campaign) => toShown(deps, { workspaceId, rules }, campaign)),
    query.limit,
  )
}

/** @throws {ApiError} not_found */
export async function requireCampaign(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  campaignId: number,
): Promise<StoredCampaign> {
  const campaign = await findCampaign(db, workspaceId, campaignId)
  if (campaign === undefined) throw notFound('campaign')
  return campaign
}

/** Lists the campaigns that accept calls, which are all except archived ones, in order of name. */
export const listOpenCampaigns = ({ db }: Pick<Deps, 'db'>, workspaceId: number) =>
  selectOpenCampaigns(db, workspaceId)
