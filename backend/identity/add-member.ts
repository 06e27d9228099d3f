import type { Deps } from '../deps.ts'
import { insertMembership } from './people/store.ts'

/** Lets a user work in a workspace; on a member it changes the role. */
export const addMember =
  (deps: Pick<Deps, 'db'>) =>
  async (input: { workspaceId: number; userId: number; role: 'owner' | 'member' }): Promise<void> => {
    await insertMembership(deps.db, input.workspaceId, { userId: input.userId, role: input.role })
  }
