import type { Deps } from '../deps.ts'
import { dayMs } from '../platform/core/durations.ts'
import { notFound } from '../platform/core/errors.ts'
import { newWebhookSecret } from '../platform/secrets/tokens.ts'
import { toOriginSecret } from './origin-secret.ts'
import {
  findWorkspaceSecret,
  replaceSubscriptionSecret,
  replaceWorkspaceSecret,
} from './signing-secret-store.ts'

/** How long the old secret signs in addition to the new one. */
export const secretOverlapMs = dayMs

/**
 * Gives a subscription a new signing secret. For 24 hours, deliveries are also signed with the old one, so that the
 * receiver has time to switch. Another rotation within that time drops the oldest secret.
 *
 * @throws {ApiError} not_found
 */
export async function rotateSubscriptionSecret(
  { db, clock, secretBox }: Pick<Deps, 'db' | 'clock' | 'secretBox'>,
  workspaceId: number,
  id: number,
): Promise<{ secret: string }> {
  const secret = newWebhookSecret()
  const previousUntil = new Date(clock.now().getTime() + secretOverlapMs)
  const isReplaced = await replaceSubscriptionSecret(db, workspaceId, {
    id,
    sealedSecret: secretBox.seal(secret, ['webhook_subscription.secret', workspaceId, id]),
    previousUntil,
  })
  if (!isReplaced) throw notFound('webhook subscription')
  return { secret }
}

/** Returns the secret that signs a workspace's deliveries to all callback URLs of one origin. */
export async function revealOriginSecret(
  { db, secretBox }: Pick<Deps, 'db' | 'secretBox'>,
  workspaceId: number,
  callbackUrl: string,
): Promise<{ secret: string }> {
  const { sealed } = await findWorkspaceSecret(db, workspaceId)
  const workspaceSecret = secretBox.open(sealed, ['workspace.webhook_secret', workspaceId])
  return { secret: toOriginSecret(workspaceSecret, callbackUrl) }
}

/**
 * Gives a workspace a new secret. Secrets of the origins of its callback URLs are derived from it, so they change, too. For 24
 * hours, deliveries are also signed with the old secrets.
 */
export async function rotateWorkspaceSecret(
  { db, clock, secretBox }: Pick<Deps, 'db' | 'clock' | 'secretBox'>,
  workspaceId: number,
): Promise<void> {
  const sealedSecret = secretBox.seal(newWebhookSecret(), ['workspace.webhook_secret', workspaceId])
  const previousUntil = new Date(clock.now().getTime() + secretOverlapMs)
  await replaceWorkspaceSecret(db, workspaceId, { sealedSecret, previousUntil })
}

/** Returns the time until which the workspace's previous secret also signs; null if the secret was never rotated. */
export async function getPreviousSecretUntil(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
): Promise<Date | null> {
  const { previousUntil } = await findWorkspaceSecret(deps.db, workspaceId)
  return previousUntil
}
