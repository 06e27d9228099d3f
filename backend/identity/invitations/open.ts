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
export const openInvitation =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (token: string): Promise<Invitation> => {
    const found = await findInvitation(deps.db, hashToken(token))
    if (found === undefined) return { state: 'unknown' }
    const state = stateOf(found, deps.clock.now())
    return state === 'open' ? { ...found, state } : { state }
  }

export const stateOf = (
  invitation: { acceptedAt: Date | null; expiresAt: Date },
  now: Date,
): 'open' | 'used' | 'expired' => {
  if (invitation.acceptedAt !== null) return 'used'
  return invitation.expiresAt <= now ? 'expired' : 'open'
}
