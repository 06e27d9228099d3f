import type { ToolKindName } from '../../db/schema.ts'

/** Where a tool comes from, in a few words. */
export function kindInWords(kind: ToolKindName): string {
  if (kind === 'http') return 'HTTP request'
  if (kind === 'remote_mcp') return 'MCP server'
  return 'Comes with Outdial'
}
