import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import type { Caller } from '../core/caller.ts'
import { deleteSubscription } from './subscription-store.ts'

/**
 * Removes a subscription; what was still to be sent to it ends. Any connection of the workspace may remove any of
 * its subscriptions, as with everything else in it.
 * @throws {ApiError} not_found: unknown, already removed, or of another workspace
 */
export const unsubscribe =
  ({ db }: Deps) =>
  async (caller: Caller, id: number): Promise<void> => {
    if (await deleteSubscription(db, caller.workspaceId, id)) return
    throw notFound('There is no webhook subscription with this id in your workspace.')
  }
