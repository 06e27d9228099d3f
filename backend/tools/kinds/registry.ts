import type { ToolKindName } from '../../db/schema.ts'
import { contactNote } from './contact-note.ts'
import { doNotCall } from './do-not-call.ts'
import { httpTool } from './http.ts'
import type { ToolKind } from './kind.ts'
import { remoteMcp } from './remote-mcp.ts'

const kinds: readonly ToolKind[] = [contactNote, doNotCall, httpTool, remoteMcp]

/** Every kind of tool, by the name that rows of `mcp_tool` carry. */
export const toolKinds: ReadonlyMap<ToolKindName, ToolKind> = new Map(kinds.map((kind) => [kind.kind, kind]))
