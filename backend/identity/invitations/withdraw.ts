import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { deleteInvitation } from '../invitation-store.ts'

/** @throws {ApiError} not_found, also for one that was accepted already */
export const withdrawInvitation =
  (deps: Pick<Deps, 'db'>) =>
  async (input: { workspaceId: number; invitationId: number }): Promise<void> => {
    if (await deleteInvitation(deps.db, input.workspaceId, input.invitationId)) return
    throw notFound('There is no open invitation with this id.')
  }
