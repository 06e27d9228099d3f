import type { Deps } from '../deps.ts'
import { newWebhookSecret } from '../secrets/secret-box.ts'
import { secretOverlapMs } from './signing-secrets.ts'
import { findWorkspaceSecret, replaceWorkspaceSecret } from './signing-secret-store.ts'

/** What signs the deliveries to a workspace's callback URLs. */
export const revealWorkspaceSecret =
  ({ db, secretBox }: Pick<Deps, 'db' | 'secretBox'>) =>
  async (workspaceId: number): Promise<{ secret: string }> => {
    const { sealed } = await findWorkspaceSecret(db, workspaceId)
    return { secret: secretBox.open(sealed) }
  }

/** Gives a workspace a new one. For 24 hours the old one signs beside it; a second rotation within them ends the oldest. */
export const rotateWorkspaceSecret =
  ({ db, clock, secretBox }: Pick<Deps, 'db' | 'clock' | 'secretBox'>) =>
  async (workspaceId: number): Promise<{ secret: string }> => {
    const secret = newWebhookSecret()
    const previousUntil = new Date(clock.now().getTime() + secretOverlapMs)
    await replaceWorkspaceSecret(db, workspaceId, { sealedSecret: secretBox.seal(secret), previousUntil })
    return { secret }
  }
