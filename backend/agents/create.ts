import type { Deps } from '../deps.ts'
import { invalidField } from '../errors.ts'
import { type AgentValues, type CreatedAgent, insertAgent } from './store.ts'

/** Makes an agent; it calls nobody before it is Live. The public API has no way to. */
export const createAgent =
  (deps: Pick<Deps, 'db'>) =>
  async (workspaceId: number, input: AgentValues): Promise<CreatedAgent> => {
    const name = input.name.trim()
    if (name === '') throw invalidField('name', 'required', 'The agent needs a name.')
    return insertAgent(deps.db, workspaceId, { ...input, name })
  }
