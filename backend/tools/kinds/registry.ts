import type { ToolKindName } from '../../db/schema.ts'
import { contactLookup } from './contact-lookup.ts'
import { contactNote } from './contact-note.ts'
import { contactUpdate } from './contact-update.ts'
import { doNotCall } from './do-not-call.ts'
import { httpTool } from './http.ts'
import type { ToolKind } from './kind.ts'
import { knowledgeSearch } from './knowledge-search.ts'
import { remoteMcp } from './remote-mcp.ts'
import { scheduleCallback } from './schedule-callback.ts'
import { spreadsheetAppend } from './spreadsheet-append.ts'

const kinds: readonly ToolKind[] = [
  knowledgeSearch,
  contactLookup,
  contactUpdate,
  contactNote,
  doNotCall,
  scheduleCallback,
  spreadsheetAppend,
  httpTool,
  remoteMcp,
]

/** Every kind of tool, by the name that rows of `mcp_tool` carry. */
export const toolKinds: ReadonlyMap<ToolKindName, ToolKind> = new Map(kinds.map((kind) => [kind.kind, kind]))
