import { findWorkspaceTimeZone } from '../../accounts/identity/workspaces.ts'
import type { Deps } from '../../deps.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import type { Db } from '../../platform/db/schema.ts'
import { createTimeFormats, formatCount } from '../../platform/views/format.ts'
import type { TokenUsage } from '../conversation/model/usage.ts'
import { addToUsage, deleteUsageBefore, selectUsage } from './usage-store.ts'

/** The share of the daily token limit at which owners and the operator get a notice. */
const noticeShare = 0.8

const usageRetentionMs = 90 * dayMs

/** Returns the day in UTC, as YYYY-MM-DD. */
const toDay = (at: Date): string => at.toISOString().slice(0, 10)

/**
 * Counts tokens that a workspace has used. Only one process logs that the workspace is close to its limit, once a day. Don't
 * call it in the transaction that stores a turn or an analysis. Otherwise, the workspace's conversations wait for each other.
 */
export async function addTokens(
  { clock, config, db, log, metrics }: Pick<Deps, 'clock' | 'config' | 'db' | 'log' | 'metrics'>,
  workspaceId: number,
  { inputTokens, outputTokens }: TokenUsage,
): Promise<void> {
  const added = inputTokens + outputTokens
  if (added === 0) return
  metrics.modelTokens.inc({ direction: 'input' }, inputTokens)
  metrics.modelTokens.inc({ direction: 'output' }, outputTokens)
  const tokens = await addToUsage(db, workspaceId, { day: toDay(clock.now()), tokens: added })
  const limit = config.llm?.tokensPerDay ?? 0
  // Logs only the addition that crosses the threshold.
  if (limit === 0 || !isNearLimit(tokens, limit) || isNearLimit(tokens - added, limit)) return
  log.warn(
    { workspace_id: workspaceId, tokens, limit },
    'a workspace has used 80% of the tokens that it can use today',
  )
}

const isNearLimit = (tokens: number, limit: number): boolean => tokens >= noticeShare * limit

/** How many tokens a workspace has used today, and how many it can use. Days are in UTC. */
export interface TokenUse {
  tokens: number
  limit: number
  /** When the day ends in UTC. */
  endsAt: Date
  /** True if at least 80% of the limit has been used. */
  isNearLimit: boolean
}

/** Returns the tokens that a workspace has used today. Undefined if there's no limit. */
export async function findTokenUse(
  { clock, config, db }: Pick<Deps, 'clock' | 'config' | 'db'>,
  workspaceId: number,
): Promise<TokenUse | undefined> {
  const limit = config.llm?.tokensPerDay ?? 0
  if (limit === 0) return undefined
  const day = toDay(clock.now())
  const tokens = await selectUsage(db, workspaceId, day)
  const endsAt = new Date(Date.parse(day) + dayMs)
  return { tokens, limit, endsAt, isNearLimit: isNearLimit(tokens, limit) }
}

/**
 * Checks that a workspace can use more tokens today. Conversations in progress continue without this check.
 *
 * @throws {ApiError} rate_limited
 */
export async function requireTokensLeft(
  deps: Pick<Deps, 'clock' | 'config' | 'db'>,
  workspaceId: number,
): Promise<void> {
  const use = await findTokenUse(deps, workspaceId)
  if (use === undefined || use.tokens < use.limit) return
  const { timePhrase } = createTimeFormats(
    deps.clock.now(),
    await findWorkspaceTimeZone(deps.db, workspaceId),
  )
  throw new FormError(
    'rate_limited',
    `This workspace has used today's ${formatCount(use.limit)} tokens. You can start a new chat ${timePhrase(use.endsAt)}.`,
  )
}

export const deleteOldUsage = (db: Db, now: Date): Promise<void> =>
  deleteUsageBefore(db, toDay(new Date(now.getTime() - usageRetentionMs)))
