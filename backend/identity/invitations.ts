import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { hashToken, randomToken } from '../secrets/secret-box.ts'
import { inTransaction } from '../db/transaction.ts'
import { checkUser } from './check-person.ts'
import { findRole, lockMembers } from './member-store.ts'
import { insertInvitation } from './invitation-store.ts'

/** Seven days, in milliseconds. */
const ttlMs = 7 * 86_400_000

/**
 * Makes a link by which one person becomes a member. It is in this answer and nowhere else: only its hash is kept.
 * An owner who is being removed meanwhile makes none, by which they could come back.
 *
 * @throws {ApiError} validation_failed for an address that is none, not_found where it is no owner who invites
 */
export const createInvitation =
  (deps: Deps) =>
  async (input: {
    workspaceId: number
    invitedBy: number
    email: string
    role: 'owner' | 'member'
  }): Promise<{ email: string; link: string; expiresAt: Date }> => {
    const { email } = checkUser({ email: input.email, name: input.email })
    const token = randomToken()
    const now = deps.clock.now()
    const expiresAt = new Date(now.getTime() + ttlMs)
    const { workspaceId, invitedBy, role } = input
    await inTransaction(deps, async ({ db }) => {
      await lockMembers(db, workspaceId)
      if ((await findRole(db, workspaceId, invitedBy)) !== 'owner') throw notFound('There is no such owner.')
      const tokenHash = hashToken(token)
      await insertInvitation(db, workspaceId, { tokenHash, email, role, invitedBy, now, expiresAt })
    })
    return { email, link: `${deps.config.publicUrl}/invitations/${token}`, expiresAt }
  }
