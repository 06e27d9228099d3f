import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { deleteOtherSessions, deleteUserSession } from '../session-store.ts'

/** @throws {ApiError} not_found where it is none of the person's, or has ended */
export const revokeSession =
  (deps: Pick<Deps, 'db'>) =>
  async (userId: number, sessionId: number): Promise<void> => {
    if (!(await deleteUserSession(deps.db, userId, sessionId))) throw notFound('There is no such session.')
  }

/** Signs a person out everywhere but here. Answers of how many browsers. */
export const revokeOtherSessions =
  (deps: Pick<Deps, 'db'>) =>
  (userId: number, currentIdHash: Buffer): Promise<number> =>
    deleteOtherSessions(deps.db, userId, currentIdHash)
