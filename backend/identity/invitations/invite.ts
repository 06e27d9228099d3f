import type { Deps } from '../../deps.ts'
import { hashToken, randomToken } from '../../secrets.ts'
import { checkPerson } from '../check-person.ts'
import { insertInvitation } from './store.ts'

/** Seven days, in milliseconds. */
const lifetime = 7 * 86_400_000

/**
 * Makes a link by which one person becomes a member. It is in this answer and nowhere else: only its hash is kept.
 *
 * @throws {ApiError} validation_failed for an address that is none
 */
export const invite =
  (deps: Pick<Deps, 'db' | 'clock' | 'config'>) =>
  async (input: {
    workspaceId: number
    invitedBy: number
    email: string
    role: 'owner' | 'member'
  }): Promise<{ email: string; link: string; expiresAt: Date }> => {
    const { email } = checkPerson({ email: input.email, name: input.email })
    const token = randomToken()
    const now = deps.clock.now()
    const expiresAt = new Date(now.getTime() + lifetime)
    const { workspaceId, invitedBy, role } = input
    await insertInvitation(deps.db, workspaceId, {
      tokenHash: hashToken(token),
      email,
      role,
      invitedBy,
      now,
      expiresAt,
    })
    return { email, link: `${deps.config.publicUrl}/invitations/${token}`, expiresAt }
  }
