import type { ToolRow } from '../../tools/kinds/kind.ts'

/** The built-in tool as it stands in a workspace. */
export const appendRow = (workspaceId: number): ToolRow => ({
  id: 1,
  workspaceId,
  version: 1,
  kind: 'spreadsheet_append',
  name: 'spreadsheet_append',
  description: '',
  inputSchema: {},
  settings: {},
  secrets: null,
})
