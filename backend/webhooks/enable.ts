import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { clearSubscriptionFailure } from './subscription-store.ts'

/**
 * Sends to a subscription again that was disabled, with a new five days to prove itself. What it missed stays dead
 * until it is replayed.
 * @throws {ApiError} not_found
 */
export const enableSubscription =
  ({ db }: Pick<Deps, 'db'>) =>
  async (workspaceId: number, id: number): Promise<void> => {
    if (await clearSubscriptionFailure(db, workspaceId, id)) return
    throw notFound('There is no webhook subscription with this id in your workspace.')
  }
