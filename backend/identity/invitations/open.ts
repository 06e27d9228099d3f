import type { Deps } from '../../deps.ts'
import { hashToken } from '../../secrets/secret-box.ts'
import { findInvitation } from '../invitation-store.ts'

/** What a link leads to. `unknown` is a withdrawn one, too: nothing is left of it. */
export type Invitation =
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

/** Looks at an invitation, and changes nothing: programs open links, too, to show what is behind them. */
export const getInvitation =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (token: string): Promise<Invitation> => {
    const row = await findInvitation(deps.db, hashToken(token))
    if (row === undefined) return { state: 'unknown' }
    const state = getInvitationState(row, deps.clock.now())
    return state === 'open' ? { ...row, state } : { state }
  }

export const getInvitationState = (
  invitation: { acceptedAt: Date | null; expiresAt: Date },
  now: Date,
): 'open' | 'used' | 'expired' => {
  if (invitation.acceptedAt !== null) return 'used'
  return invitation.expiresAt <= now ? 'expired' : 'open'
}
