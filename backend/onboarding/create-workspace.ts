import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { insertOwnedWorkspace, type NewWorkspace } from '../identity/workspaces.ts'
import { installBuiltInTools } from '../tools/tool-catalog.ts'

/**
 * Makes a workspace with its owner and the tools that come with Outdial.
 *
 * @throws {ApiError} validation_failed for a name, country or time zone that is none
 */
export const createWorkspace = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify' | 'secretBox'>,
  input: NewWorkspace,
): Promise<{ id: number }> =>
  inTransaction(deps, async (tx) => {
    const { id, isNew } = await insertOwnedWorkspace(tx, input)
    if (isNew) await installBuiltInTools(tx, id)
    return { id }
  })
