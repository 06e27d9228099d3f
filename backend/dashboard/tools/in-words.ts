import type { ToolKindName } from '../../db/schema.ts'
import type { Badge } from '../page/badges.ts'

/** Where a tool comes from, in a few words. */
export function formatToolKind(kind: ToolKindName): string {
  if (kind === 'http') return 'HTTP request'
  if (kind === 'remote_mcp') return 'MCP server'
  return 'Comes with Outdial'
}

export const toolActiveBadge = (isActive: boolean): Badge =>
  isActive ? { tone: 'good', text: 'On' } : { tone: 'mute', text: 'Off' }
