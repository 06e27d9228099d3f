import type { ErrorDetail } from '@outdial/contract'
import { hasAgent } from '../agents/agents.ts'
import { notFound } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { selectAssignments } from './assignment-store.ts'
import { findConfigIssues } from './assignments.ts'
import { toolKinds } from './kind-registry.ts'
import { describeTool, type ToolDescription } from './tool-catalog.ts'

/** A tool that an agent has. */
export interface ListedAssignment {
  tool: ToolDescription
  config: unknown
  /** Why it cannot be used as it is configured; empty where it can. */
  issues: ErrorDetail[]
}

/**
 * The tools of an agent by name, those that are switched off too.
 *
 * @throws {ApiError} not_found
 */
export async function listAssignments(
  deps: Deps,
  workspaceId: number,
  agentId: number,
): Promise<ListedAssignment[]> {
  const agentExists = await hasAgent(deps.db, workspaceId, agentId)
  if (!agentExists) throw notFound('There is no agent with this id in this workspace.')
  const assignments = await selectAssignments(deps.db, workspaceId, agentId)
  return Promise.all(
    assignments.map(async ({ row, isActive, config }) => {
      const kind = toolKinds.get(row.kind)
      return {
        tool: describeTool({ row, isActive }),
        config,
        issues: kind === undefined ? [] : await findConfigIssues(deps, kind, workspaceId, config),
      }
    }),
  )
}
