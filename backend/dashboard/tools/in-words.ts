import type { ToolKindName } from '../../db/schema.ts'
import type { Sign } from '../page/badges.ts'

/** Where a tool comes from, in a few words. */
export function kindInWords(kind: ToolKindName): string {
  if (kind === 'http') return 'HTTP request'
  if (kind === 'remote_mcp') return 'MCP server'
  return 'Comes with Outdial'
}

export const activeSign = (isActive: boolean): Sign =>
  isActive ? { tone: 'good', text: 'On' } : { tone: 'mute', text: 'Off' }
