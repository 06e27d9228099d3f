import { notFound } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { newWebhookSecret } from '../secrets/tokens.ts'
import {
  findWorkspaceSecret,
  replaceSubscriptionSecret,
  replaceWorkspaceSecret,
} from './signing-secret-store.ts'

/** Milliseconds for which the old secret signs beside the new one. */
export const secretOverlapMs = 24 * 60 * 60 * 1000

/**
 * Gives a subscription a new signing secret. For 24 hours the old one signs beside it, so that the receiver can
 * change over in its own time; a second rotation within them ends the oldest.
 * @throws {ApiError} not_found
 */
export async function rotateSubscriptionSecret(
  { db, clock, secretBox }: Deps,
  workspaceId: number,
  id: number,
): Promise<{ secret: string }> {
  const secret = newWebhookSecret()
  const previousUntil = new Date(clock.now().getTime() + secretOverlapMs)
  const isReplaced = await replaceSubscriptionSecret(db, workspaceId, {
    id,
    sealedSecret: secretBox.seal(secret),
    previousUntil,
  })
  if (!isReplaced) throw notFound('There is no webhook subscription with this id in your workspace.')
  return { secret }
}

/** What signs the deliveries to a workspace's callback URLs. */
export async function revealWorkspaceSecret(
  { db, secretBox }: Pick<Deps, 'db' | 'secretBox'>,
  workspaceId: number,
): Promise<{ secret: string }> {
  const { sealed } = await findWorkspaceSecret(db, workspaceId)
  return { secret: secretBox.open(sealed) }
}

/** Gives a workspace a new one. For 24 hours the old one signs beside it; a second rotation within them ends the oldest. */
export async function rotateWorkspaceSecret(
  { db, clock, secretBox }: Pick<Deps, 'db' | 'clock' | 'secretBox'>,
  workspaceId: number,
): Promise<{ secret: string }> {
  const secret = newWebhookSecret()
  const previousUntil = new Date(clock.now().getTime() + secretOverlapMs)
  await replaceWorkspaceSecret(db, workspaceId, { sealedSecret: secretBox.seal(secret), previousUntil })
  return { secret }
}
