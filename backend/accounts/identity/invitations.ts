import type { Deps } from '../../deps.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { lockWorkspace } from '../../platform/db/locks.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { hashToken, randomToken } from '../../platform/secrets/tokens.ts'
import {
  deleteInvitation,
  findInvitation,
  insertInvitation,
  lockInvitation,
  markInvitationAccepted,
} from './invitation-store.ts'
import { findRole, insertMembershipIfNew } from './member-store.ts'
import { checkEmail, createUser } from './users.ts'

const ttlMs = 7 * dayMs

/**
 * Creates a link that makes one person a member. Only its hash is stored, so the link can't be shown again. The lock on
 * the workspace makes sure that an owner who's being removed can't create a link to rejoin.
 *
 * @throws {ApiError} validation_failed for an invalid email, not_found if the inviter isn't an owner
 */
export async function createInvitation(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'notify'>,
  workspaceId: number,
  invitedBy: number,
  input: { email: string; role: 'owner' | 'member' },
): Promise<{ email: string; link: string; expiresAt: Date }> {
  const email = checkEmail(input.email)
  const token = randomToken()
  const now = deps.clock.now()
  const expiresAt = new Date(now.getTime() + ttlMs)
  await inTransaction(deps, async (tx) => {
    await lockWorkspace(tx.db, workspaceId)
    if ((await findRole(tx.db, workspaceId, invitedBy)) !== 'owner')
      throw new FormError('not_found', 'Only an owner can invite members.')
    const tokenHash = hashToken(token)
    await insertInvitation(tx.db, workspaceId, {
      tokenHash,
      email,
      role: input.role,
      invitedBy,
      now,
      expiresAt,
    })
  })
  return { email, link: `${deps.config.publicUrl}/invitations/${token}`, expiresAt }
}

/** A signed-in user, or the details of a new one. */
type Invitee = { userId: number } | { name: string; email: string; password: string }

export type AcceptResult =
  | { state: 'unknown' | 'used' | 'expired' }
  | { state: 'accepted' | 'already_member'; userId: number; workspaceId: number }

/**
 * Makes the invitee a member and marks the invitation as accepted. If the invitee is already a member, the invitation
 * stays open, so that an owner who tries their own link doesn't use it up.
 *
 * @throws {ApiError} validation_failed for a new user's name, email, or password
 */
export const acceptInvitation = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  token: string,
  invitee: Invitee,
): Promise<AcceptResult> =>
  inTransaction(deps, async (tx) => {
    const invitation = await lockInvitation(tx.db, hashToken(token))
    if (invitation === undefined) return { state: 'unknown' }
    const now = tx.clock.now()
    const state = getInvitationState(invitation, now)
    if (state !== 'open') return { state }

    const { workspaceId, role } = invitation
    const userId = 'userId' in invitee ? invitee.userId : (await createUser(tx, invitee)).id
    const isNew = await insertMembershipIfNew(tx.db, workspaceId, { userId, role })
    if (!isNew) return { state: 'already_member', userId, workspaceId }
    await markInvitationAccepted(tx.db, workspaceId, invitation.id, now)
    return { state: 'accepted', userId, workspaceId }
  })

/** The invitation that a link leads to. A withdrawn invitation is also `unknown`, because its row is deleted. */
type Invitation =
  | { state: 'unknown' | 'used' | 'expired' }
  | {
      state: 'open'
      workspaceId: number
      workspaceName: string
      email: string
      role: 'owner' | 'member'
      invitedBy: string | null
      expiresAt: Date
    }

/** Returns an invitation without changing it, because programs also open links, for example to preview them. */
export async function getInvitation(deps: Pick<Deps, 'db' | 'clock'>, token: string): Promise<Invitation> {
  const row = await findInvitation(deps.db, hashToken(token))
  if (row === undefined) return { state: 'unknown' }
  const state = getInvitationState(row, deps.clock.now())
  return state === 'open' ? { ...row, state } : { state }
}

const getInvitationState = (
  invitation: { acceptedAt: Date | null; expiresAt: Date },
  now: Date,
): 'open' | 'used' | 'expired' => {
  if (invitation.acceptedAt !== null) return 'used'
  return invitation.expiresAt <= now ? 'expired' : 'open'
}

/** @throws {ApiError} not_found, also if the invitation was already accepted */
export async function withdrawInvitation(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  invitationId: number,
): Promise<void> {
  if (await deleteInvitation(deps.db, workspaceId, invitationId)) return
  throw new FormError('not_found', 'Invitation not found. It was used or withdrawn. Reload the page.')
}
