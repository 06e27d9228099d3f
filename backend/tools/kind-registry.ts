import type { ToolKindName } from '../platform/db/schema.ts'
import { httpTool } from './custom/http-tool.ts'
import { remoteMcp } from './custom/remote-mcp-tool.ts'
import { contactLookup } from './kinds/contact-lookup.ts'
import { contactNote } from './kinds/contact-note.ts'
import { contactUpdate } from './kinds/contact-update.ts'
import { doNotCall } from './kinds/do-not-call.ts'
import { knowledgeSearch } from './kinds/knowledge-search.ts'
import { scheduleCallback } from './kinds/schedule-callback.ts'
import { spreadsheetAppend } from './kinds/spreadsheet-append.ts'
import type { ToolKind } from './kinds/tool-kind.ts'

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

/** All kinds of tools, by their name in `mcp_tool.kind`. */
export const toolKinds: ReadonlyMap<ToolKindName, ToolKind> = new Map(kinds.map((kind) => [kind.kind, kind]))
