import { lockAgent } from '../agents/agent-store.ts'
import type { Deps } from '../deps.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { validate } from '../core/validate.ts'
import { inTransaction } from '../db/transaction.ts'
import { selectAssignments, upsertAssignment } from './assignment-store.ts'
import { assignmentFormSchema, findParsedConfigIssue } from './config-form.ts'
import { toolNotFound, unreadableSettings } from './save-custom-tool.ts'
import { toolKinds } from './kind-registry.ts'
import { getToolNames } from './names.ts'
import { lockTool, lockWorkspace } from './tool-store.ts'

interface Assignment {
  workspaceId: number
  agentId: number
  toolId: number
  /** For this agent, for example its spreadsheet_id: what the tool's kind asks for. */
  config: unknown
}

/**
 * Gives a tool to an agent, or configures one that it has anew; its open sessions have it at once.
 *
 * @throws {ApiError} not_found; validation_failed for a configuration that the tool does not take, or where two
 * tools of the agent would have one name
 */
export const assignTool =
  (deps: Deps) =>
  ({ config, ...assignment }: Assignment): Promise<void> =>
    inTransaction(deps, async (tx) => {
      const { workspaceId, agentId, toolId } = assignment
      await lockWorkspace(tx.db, workspaceId)
      const agent = await lockAgent(tx.db, workspaceId, agentId)
      if (agent === undefined) throw notFound('There is no agent with this id in this workspace.')
      const row = await lockTool(tx.db, workspaceId, toolId)
      const kind = row && toolKinds.get(row.kind)
      if (row === undefined || kind === undefined) throw toolNotFound()

      const parsed = validate(assignmentFormSchema(kind), { config })
      const issue = await findParsedConfigIssue(tx, kind, workspaceId, parsed.config)
      if (issue !== undefined) throw invalidField(issue.field, issue.code, issue.message)
      const assigned = await selectAssignments(tx.db, workspaceId, agentId)
      const others = assigned.flatMap(({ row }) => (row.id === toolId ? [] : (getToolNames(row) ?? [])))
      const names = getToolNames(row)
      if (names === undefined) throw unreadableSettings()
      const duplicate = names.find((name) => others.includes(name))
      if (duplicate !== undefined) {
        const message = `The agent has a tool named ${duplicate} already: rename one of them, or take the other away.`
        throw invalidField('tool_id', 'already_used', message)
      }
      await upsertAssignment(tx.db, assignment, { config: parsed.config, now: tx.clock.now() })
      tx.notify.toolsChanged({ workspaceId, agentId })
    })
