import * as z from 'zod'
import type { Deps } from '../deps.ts'
import { dayMs } from '../platform/core/durations.ts'
import { FormError } from '../platform/core/form-errors.ts'
import { rule, validateByRules } from '../platform/core/validate-rules.ts'
import type { Db } from '../platform/db/schema.ts'
import { countOldConversations } from '../queue/calls/erase-calls.ts'
import {
  findRetention,
  lockRetention,
  type Retention,
  type RetentionDays,
  updateRetention,
} from './retention-store.ts'

/** How long a shorter retention can be undone before it takes effect. */
const retentionDelayMs = dayMs

const isRetentionDays = (days: number): boolean => Number.isInteger(days) && days >= 1 && days <= 3650

const RetentionFields = z.object({
  retention_days: z
    .number()
    .refine(
      isRetentionDays,
      rule(
        'invalid_retention',
        'Enter a whole number of days from 1 to 3650, or leave it blank to keep conversations forever.',
      ),
    )
    .nullable(),
})

/** Returns true if this retention keeps conversations for fewer days than another. */
const isShorterThan = (days: RetentionDays, other: RetentionDays): days is number =>
  days !== null && (other === null || days < other)

/**
 * Sets how many days a workspace keeps conversations, and cancels a pending change. The change takes effect at once. If the
 * retention is shorter than the current one, changes nothing and returns false: see {@link shortenRetention}.
 *
 * @throws {ApiError} validation_failed for a number of days that isn't allowed
 */
export async function extendRetention(
  tx: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  input: RetentionDays,
): Promise<boolean> {
  const { retention_days: days } = validateByRules(RetentionFields, { retention_days: input })
  const current = await lockRetention(tx.db, workspaceId, tx.clock.now())
  if (isShorterThan(days, current.days)) return false
  await updateRetention(tx.db, workspaceId, { days, pending: null })
  return true
}

/**
 * Sets a shorter retention. The change takes effect in 24 hours, and can be undone until then. It replaces a pending change.
 * Returns the time when it takes effect.
 *
 * @throws {ApiError} validation_failed if the retention isn't shorter than the current one
 */
export async function shortenRetention(
  tx: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  days: number,
): Promise<Date> {
  const now = tx.clock.now()
  const current = await lockRetention(tx.db, workspaceId, now)
  if (!isShorterThan(days, current.days))
    throw new FormError(
      'validation_failed',
      "This isn't shorter than the current retention, so nothing was changed. Enter the number of days again.",
    )
  const at = new Date(now.getTime() + retentionDelayMs)
  await updateRetention(tx.db, workspaceId, { days: current.days, pending: { days, at } })
  return at
}

/**
 * Cancels a shorter retention that hasn't taken effect yet.
 *
 * @throws {ApiError} validation_failed if no change is pending
 */
export async function undoShorterRetention(
  tx: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
): Promise<void> {
  const { days, pending } = await lockRetention(tx.db, workspaceId, tx.clock.now())
  if (pending === null)
    throw new FormError(
      'validation_failed',
      'There is nothing to undo. The shorter retention already took effect, or someone else undid it.',
    )
  await updateRetention(tx.db, workspaceId, { days, pending: null })
}

/** A shorter retention, and how many of the existing calls lose their conversations when it takes effect. */
export interface ShorterRetention {
  days: number
  at: Date
  callCount: number
}

/** Previews a shorter retention as if it were set now. Returns undefined if it isn't shorter. */
export async function previewShorterRetention(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  days: number,
): Promise<ShorterRetention | undefined> {
  const now = clock.now()
  const current = await findRetention(db, workspaceId, now)
  if (!isShorterThan(days, current.days)) return undefined
  return countCalls(db, workspaceId, { days, at: new Date(now.getTime() + retentionDelayMs) })
}

/** Returns a workspace's retention, and the pending change if one can still be undone. */
export const getRetention = ({ db, clock }: Pick<Deps, 'db' | 'clock'>, workspaceId: number) =>
  findRetention(db, workspaceId, clock.now())

/** Returns a workspace's retention, and how many calls a pending change affects. */
export async function loadRetention(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
): Promise<{ days: RetentionDays; pending: ShorterRetention | null }> {
  const { days, pending } = await findRetention(db, workspaceId, clock.now())
  return { days, pending: pending && (await countCalls(db, workspaceId, pending)) }
}

const countCalls = async (
  db: Db,
  workspaceId: number,
  { days, at }: NonNullable<Retention['pending']>,
): Promise<ShorterRetention> => ({
  days,
  at,
  callCount: await countOldConversations(db, workspaceId, conversationLimit(at, days)),
})

/** Returns the time before which calls must have ended for their conversations to be erased. */
export const conversationLimit = (now: Date, days: number): Date => new Date(now.getTime() - days * dayMs)
