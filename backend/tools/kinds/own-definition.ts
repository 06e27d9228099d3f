import type { ToolDefinition, ToolRow } from './kind.ts'

/** The list entry of a tool that is one row: what the row says. */
export const ownDefinition = ({ name, description, inputSchema }: ToolRow): ToolDefinition[] => [
  { name, description, inputSchema },
]
