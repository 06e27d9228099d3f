import {
  type CatalogMessage,
  type ErrorDetail,
  type ErrorValues,
  toErrorMessage,
  toolResultTexts,
} from '@outdial/contract'
import type * as z from 'zod'
import type { Deps } from '../../deps.ts'
import type { ToolKindName } from '../../platform/db/schema.ts'
import type { JsonSchema } from '../json-schema/compile-schema.ts'

/** The call that a session belongs to, read once when the session opens. */
export interface LiveCall {
  attemptId: string
  callId: number
  campaignId: number
  contactId: number
  /** The contact's number, in E.164 format. */
  phoneNumber: string
  /** True for a test call. Tools that have effects then only do dry runs, and calls that they queue are test calls. */
  test: boolean
}

/** The chat that a session belongs to, read once when the session opens. Tools that have effects only do dry runs. */
export interface LiveChat {
  conversationId: string
  /** Null if the chat has sample values instead of a contact. */
  contact: { id: number; phoneNumber: string } | null
}

/** The conversation that a session belongs to. If both are undefined, the session belongs to none. */
export interface ToolConversation {
  call: LiveCall | undefined
  chat: LiveChat | undefined
}

/** A row of `mcp_tool`, as a `ToolKind` gets it. */
export interface ToolRow {
  id: number
  workspaceId: number
  version: number
  kind: ToolKindName
  name: string
  description: string
  inputSchema: JsonSchema
  settings: Record<string, unknown>
  /** A sealed JSON object of secrets by name. Null if there are none. */
  secrets: string | null
}

/** A tool in the response to `tools/list`. A remote server's row can have several. */
export interface ToolDefinition {
  name: string
  description: string
  inputSchema: JsonSchema
}

/** One use of a tool by an agent. The arguments have been validated against its schema. */
export interface ToolUse extends ToolConversation {
  row: ToolRow
  /** The name that the agent called, `<server>__<tool>` for a remote server's tool. */
  toolName: string
  agentId: number
  /** The assignment's configuration, parsed by the kind's `config`. */
  config: unknown
  args: Record<string, unknown>
  /** If true, describe what would have happened, and change nothing. True in test calls and chats if the tool has effects. */
  dryRun: boolean
  /** Aborts when the client cancels the use or disconnects, and after the time limit. */
  signal: AbortSignal
}

/** Text that the agent can read out or act on. */
export interface ToolResult {
  text: string
  isError: boolean
}

/** The dependencies of all kinds of tools. */
export type ToolDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'secretBox' | 'notify'>

/** A kind of tool. Each kind has its own file. */
export type ToolKind = BuiltInToolKind | CustomToolKind

/**
 * A tool that comes with Outdial. Its row provides only the name. Agents always get the description and the schema of the
 * installed version of Outdial.
 */
interface BuiltInToolKind extends BaseToolKind {
  builtIn: ToolDefinition
  /**
   * Returns the definition for sessions in a call or chat, if it differs from `builtIn`. In such a session, a contact tool acts
   * only on the contact of the call or chat. Otherwise, the person on the phone could persuade the language model to use the
   * tool on someone else.
   *
   * @param config the assignment's parsed configuration
   */
  inCall?(config: unknown): ToolDefinition
}

/** A kind of tool that calls other services. Each row defines the tools that it offers. */
export interface CustomToolKind extends BaseToolKind {
  builtIn: undefined
  /** Returns the tools that a row adds to an agent's tool list. */
  definitions(row: ToolRow): ToolDefinition[]
}

interface BaseToolKind {
  kind: ToolKindName
  /** The schema of the settings of the tool itself, which are the same for every agent. */
  settings: z.ZodType
  /** The schema of an assignment's configuration. As a JSON Schema, it defines the dashboard's form. */
  config: z.ZodType
  /** Finds an issue that the schema can't find. Its message is for the person who assigns the tool. */
  checkConfig?(deps: ToolDeps, workspaceId: number, config: unknown): Promise<ErrorDetail | undefined>
  /** True if using the tool changes anything. If that depends on the row, a function that returns the names of such tools. */
  hasEffects: boolean | ((row: ToolRow) => ReadonlySet<string>)
  /** Runs the tool. If it throws, the agent gets the message of an `ApiError`, or a generic text for any other error. */
  run(deps: ToolDeps, use: ToolUse): Promise<ToolResult>
  /** Closes resources that stay open between uses, such as connections. Called before the process stops. */
  close?(): Promise<void>
}

/** Returns the tools that a row adds to an agent's tool list; `unreadable` if its saved settings aren't valid. */
export function getDefinitions(kind: ToolKind, row: ToolRow): ToolDefinition[] | 'unreadable' {
  if (kind.builtIn !== undefined) return [{ ...kind.builtIn, name: row.name }]
  return kind.settings.safeParse(row.settings).success ? kind.definitions(row) : 'unreadable'
}

/**
 * Returns the tools that a row adds to the tool list of a session in a call or chat.
 *
 * @param definitions the row's tools outside of conversations
 * @param config the assignment's parsed configuration; undefined if it isn't valid
 */
export function getCallDefinitions(
  kind: ToolKind,
  row: ToolRow,
  definitions: ToolDefinition[],
  config: unknown,
): ToolDefinition[] {
  const inCall = kind.builtIn === undefined ? undefined : kind.inCall?.(config)
  return inCall === undefined ? definitions : [{ ...inCall, name: row.name }]
}

/** Returns the names of a row's tools that change something when they're used. Test calls and chats only simulate them. */
export function findToolsWithEffects(
  { hasEffects }: ToolKind,
  row: ToolRow,
  definitions: readonly ToolDefinition[],
): ReadonlySet<string> {
  if (typeof hasEffects === 'function') return hasEffects(row)
  return new Set(hasEffects ? definitions.map(({ name }) => name) : [])
}

/** Returns the result of a successful use: text that helps the agent continue. */
export const textResult = (text: string): ToolResult => ({ text, isError: false })

/** Returns the result of a failed use. `message` is from the catalog of messages; `quoted` is another service's own message. */
export const errorResult = (message: CatalogMessage, quoted?: string): ToolResult => ({
  text: quoted ? `${message} It said: ${quoted}` : message,
  isError: true,
})

/** Returns the result of a dry run: what the tool would have done. */
export const dryRunResult = ({ chat }: ToolUse, text: string): ToolResult =>
  textResult(`${chat === undefined ? 'Test call' : 'Chat'}: nothing was changed. ${text}`)

/** Returns the result of a failed use, with a message from the catalog. */
export const failedResult = (key: keyof typeof toolResultTexts, values?: ErrorValues): ToolResult =>
  errorResult(toErrorMessage(toolResultTexts[key], values))

const defaultMaxBytes = 16 * 1024

/** Truncates text to `maxBytes` of UTF-8. Appends a note to a truncated text. */
export function truncateText(text: string, maxBytes = defaultMaxBytes): string {
  const encoded = Buffer.from(text)
  if (encoded.length <= maxBytes) return text
  // With `stream`, the decoder drops an incomplete character at the end.
  const cut = new TextDecoder().decode(encoded.subarray(0, maxBytes), { stream: true })
  return `${cut}… [Only the first ${maxBytes / 1024} KiB are shown.]`
}

/** The values of a custom tool. */
export interface ToolValues {
  name: string
  description: string
  inputSchema: JsonSchema
  settings: Record<string, unknown>
  secrets: string | null
}

export type ToolKinds = ReadonlyMap<ToolKindName, ToolKind>
