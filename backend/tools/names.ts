import { invalidField } from '../core/errors.ts'
import type { Db } from '../db/schema.ts'
import { formatNames } from '../name-some.ts'
import { getDefinitions, type ToolRow } from './kinds/tool-kind.ts'
import { toolKinds } from './kind-registry.ts'
import { selectSiblingTools } from './assignment-store.ts'

/** The names under which agents have a row's tools; undefined where its settings cannot be read. */
export function getToolNames(row: ToolRow): string[] | undefined {
  const kind = toolKinds.get(row.kind)
  const definitions = kind === undefined ? [] : getDefinitions(kind, row)
  return definitions === 'unreadable' ? undefined : definitions.map(({ name }) => name)
}

/**
 * Looks whether a changed tool has a name that another tool of one of its agents has too.
 *
 * @param field what was changed
 * @throws {ApiError} validation_failed, with the names and the agents
 */
export async function requireNoCollision(tx: Db, changed: ToolRow, field: 'name' | 'tools'): Promise<void> {
  const names = new Set(getToolNames(changed))
  const siblings = await selectSiblingTools(tx, changed.workspaceId, changed.id)
  const collisions = siblings.flatMap(({ row, agents }) => {
    const shared = (getToolNames(row) ?? []).filter((name) => names.has(name))
    return shared.length === 0 ? [] : [`${formatNames(agents)} (${formatNames(shared)})`]
  })
  if (collisions.length === 0) return
  const message = `These agents have another tool of the same name: ${collisions.join('; ')}. Choose another name, or take one of the two away from them.`
  throw invalidField(field, 'already_used', message)
}
