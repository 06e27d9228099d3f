import type { ErrorDetail } from '@outdial/contract'
import type * as z from 'zod'
import type { ToolKindName } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { JsonSchema } from '../json-schema/compile-schema.ts'

/** The call that a session acts for, read once when the session is opened. */
export interface LiveCall {
  attemptId: string
  callId: number
  campaignId: number
  contactId: number
  /** The contact's number, E.164. */
  phoneNumber: string
  /** Tools with side effects answer as dry runs, and what they queue is a test. */
  test: boolean
}

/** A row of `mcp_tool` as a kind sees it. */
export interface ToolRow {
  id: number
  workspaceId: number
  version: number
  kind: ToolKindName
  name: string
  description: string
  inputSchema: JsonSchema
  settings: Record<string, unknown>
  /** Sealed JSON object of secrets by name. */
  secrets: string | null
}

/** One tool as `tools/list` tells it. A remote server's row makes several. */
export interface ToolDefinition {
  name: string
  description: string
  inputSchema: JsonSchema
}

/** One use of a tool by an agent. The arguments have been validated against its schema. */
export interface ToolUse {
  row: ToolRow
  /** The name that was called: for a remote server's tools it is `<server>__<tool>`. */
  toolName: string
  agentId: number
  /** The assignment's configuration, parsed by the kind's `config`. */
  config: unknown
  args: Record<string, unknown>
  /** Undefined where the session belongs to no call. */
  call: LiveCall | undefined
  /** True on test calls where the kind has effects: tell what would have happened, do nothing. */
  dryRun: boolean
  /** Aborts on cancel, disconnect, and after the time limit. */
  signal: AbortSignal
}

/** Text that the agent can read out or act on. */
export interface ToolResult {
  text: string
  isError: boolean
}

/** What tools of all kinds need to run. */
export type ToolDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'secretBox' | 'notify'>

/** What a kind of tool is and does: one file each. */
export type ToolKind = BuiltInToolKind | CustomToolKind

/** Comes with Outdial. A row of it only names it, so that an installed one tells what this version does. */
interface BuiltInToolKind extends BaseToolKind {
  builtIn: ToolDefinition
}

/** Reaches other services. What it offers is what a row says. */
export interface CustomToolKind extends BaseToolKind {
  builtIn: undefined
  /** What a row adds to the tool list of an agent. */
  definitions(row: ToolRow): ToolDefinition[]
}

interface BaseToolKind {
  kind: ToolKindName
  /** Settings of the tool itself, the same for every agent. */
  settings: z.ZodType
  /** Configuration of an assignment; its JSON Schema makes the dashboard's form. */
  config: z.ZodType
  /** What is wrong with a configuration beyond its shape: the field and a sentence; it is told to who assigns the tool. */
  checkConfig?(deps: ToolDeps, workspaceId: number, config: unknown): Promise<ErrorDetail | undefined>
  /** Whether using it changes something; where that depends on the row, ask `hasEffects`. */
  hasEffects: boolean | ((row: ToolRow, toolName: string) => boolean)
  /** A thrown error becomes a text that tells nothing of it; `ApiError` messages reach the agent. */
  run(deps: ToolDeps, use: ToolUse): Promise<ToolResult>
  /** Ends what is kept between two uses, such as connections. The process stops after it. */
  close?(): Promise<void>
}

/** What a row adds to the tool list of an agent; `unreadable` where its settings were written past the checks. */
export function getDefinitions(kind: ToolKind, row: ToolRow): ToolDefinition[] | 'unreadable' {
  if (kind.builtIn !== undefined) return [{ ...kind.builtIn, name: row.name }]
  return kind.settings.safeParse(row.settings).success ? kind.definitions(row) : 'unreadable'
}

/** Returns whether using a tool changes anything. Test calls only simulate a tool that does. */
export const hasEffects = (kind: ToolKind, row: ToolRow, toolName: string): boolean =>
  typeof kind.hasEffects === 'boolean' ? kind.hasEffects : kind.hasEffects(row, toolName)

/** It is done, or found: text that the agent can go on from. */
export const textResult = (text: string): ToolResult => ({ text, isError: false })

/** It is not done. The text says what to do instead. */
export const errorResult = (text: string): ToolResult => ({ text, isError: true })

/** Returns the result for a test call when the tool has effects: what it would have done. */
export const dryRunResult = (text: string): ToolResult =>
  textResult(`Test call: nothing was changed. ${text}`)

const defaultMaxBytes = 16 * 1024

/** Cuts off a text that is longer than `maxBytes` of UTF-8, and says so at its end. */
export function truncateText(text: string, maxBytes = defaultMaxBytes): string {
  const encoded = Buffer.from(text)
  if (encoded.length <= maxBytes) return text
  // In the middle of a stream, a decoder keeps half a character to itself.
  const cut = new TextDecoder().decode(encoded.subarray(0, maxBytes), { stream: true })
  return `${cut}… [Only the first ${maxBytes / 1024} KiB are shown.]`
}

/** What a tool of the general kinds is made of. */
export interface ToolValues {
  name: string
  description: string
  inputSchema: JsonSchema
  settings: Record<string, unknown>
  secrets: string | null
}

export type ToolKinds = ReadonlyMap<ToolKindName, ToolKind>
