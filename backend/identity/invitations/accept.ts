import type { Deps } from '../../deps.ts'
import { hashToken } from '../../secrets/secret-box.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createUser } from '../create-user.ts'
import { insertMembershipIfNew } from '../member-store.ts'
import { getInvitationState } from './open.ts'
import { lockInvitation, markInvitationAccepted } from '../invitation-store.ts'

/** Somebody who is signed in, or who signs up by it. */
type Invitee = { userId: number } | { name: string; email: string; password: string }

export type AcceptResult =
  | { state: 'unknown' | 'used' | 'expired' }
  | { state: 'accepted' | 'member_already'; userId: number; workspaceId: number }

/**
 * Makes the guest a member. The invitation is used up by that, but not by somebody who is a member already: an owner
 * who tries their own link does not spend it.
 *
 * @throws {ApiError} validation_failed for a new user's name, address or password
 */
export const acceptInvitation =
  (deps: Deps) =>
  (token: string, invitee: Invitee): Promise<AcceptResult> =>
    inTransaction(deps, async (tx) => {
      const invitation = await lockInvitation(tx.db, hashToken(token))
      if (invitation === undefined) return { state: 'unknown' }
      const now = tx.clock.now()
      const state = getInvitationState(invitation, now)
      if (state !== 'open') return { state }

      const { workspaceId, role } = invitation
      const userId = 'userId' in invitee ? invitee.userId : (await createUser(tx)(invitee)).id
      const isNew = await insertMembershipIfNew(tx.db, workspaceId, { userId, role })
      if (!isNew) return { state: 'member_already', userId, workspaceId }
      await markInvitationAccepted(tx.db, workspaceId, invitation.id, now)
      return { state: 'accepted', userId, workspaceId }
    })
