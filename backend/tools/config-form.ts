import type { ErrorDetail } from '@outdial/contract'
import * as z from 'zod'
import type { ToolKindName } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { toErrorDetails } from '../http/issues.ts'
import type { JsonSchema, ToolKind } from './kinds/tool-kind.ts'
import { toolKinds } from './kind-registry.ts'

/**
 * What the form of an assignment asks for, as a JSON Schema: each field has a title and a description for who fills it
 * in, and a choice has a title for each of its values. Without properties, there is nothing to ask.
 */
export function getConfigSchema(name: ToolKindName): JsonSchema {
  const kind = toolKinds.get(name)
  return kind === undefined ? { type: 'object' } : z.toJSONSchema(kind.config, { io: 'input' })
}

/** What an assignment sends, so that every fault is told beside `config.<field>`. */
export const assignmentFormSchema = (kind: ToolKind) => z.strictObject({ config: kind.config })

/** Why a tool cannot be used with a configuration; empty where nothing is known that speaks against it. */
export async function findConfigIssues(
  deps: Deps,
  kind: ToolKind,
  workspaceId: number,
  config: unknown,
): Promise<ErrorDetail[]> {
  const parsed = assignmentFormSchema(kind).safeParse({ config }, { reportInput: true })
  if (!parsed.success) return toErrorDetails(parsed.error.issues)
  const issue = await findParsedConfigIssue(deps, kind, workspaceId, parsed.data.config)
  return issue === undefined ? [] : [issue]
}

/** What speaks against a configuration that has been parsed; undefined where nothing is known. */
export async function findParsedConfigIssue(
  deps: Deps,
  kind: ToolKind,
  workspaceId: number,
  config: unknown,
): Promise<ErrorDetail | undefined> {
  const issue = await kind.checkConfig?.(deps, workspaceId, config)
  return issue && { ...issue, field: `config.${issue.field}` }
}
