import { randomUUID } from 'node:crypto'
import { ApiError, describeError } from '../core/errors.ts'
import { toStorableText } from '../core/text.ts'
import { cleanInput } from '../core/validate.ts'
import { isOutage } from '../db/outage.ts'
import type { Deps } from '../deps.ts'
import {
  hasEffects,
  type LiveCall,
  type ToolResult,
  type ToolRow,
  type ToolUse,
} from '../tools/kinds/tool-kind.ts'
import type { AbortReason, InFlightCall } from './in-flight-calls.ts'
import { recordToolCall } from './record-tool-call.ts'
import type { OfferedTool } from './session-context.ts'

/** Milliseconds that a tool may take: people on the phone wait for it. */
export const toolTimeoutMs = 20_000

/** Characters of an answer that the agent is given. More fits into no talk. */
const maxResultCharacters = 32_768

export interface ToolCallRequest {
  tool: OfferedTool
  agentId: number
  args: Record<string, unknown>
  call: LiveCall | undefined
  inFlightCall: InFlightCall
}

/**
 * Uses a tool for an agent, and writes it to the call's record before it resolves. Never rejects: whatever happens, the
 * call goes on, and the agent is told what to do.
 */
export const callTool = (deps: Deps, request: ToolCallRequest): Promise<ToolResult> =>
  request.call === undefined ? runTool(deps, request, false) : runAndRecord(deps, request, request.call)

async function runAndRecord(deps: Deps, request: ToolCallRequest, call: LiveCall): Promise<ToolResult> {
  const { tool, args, inFlightCall } = request
  const toolName = tool.definition.name
  const dryRun = call.test && hasEffects(tool.kind, tool.row, toolName)
  const result = await runTool(deps, request, dryRun)
  const durationMs = deps.clock.now().getTime() - inFlightCall.startedAt
  const { workspaceId } = tool.row
  await recordToolCall(deps, {
    ...{ workspaceId, call, result, dryRun, durationMs, toolName, args },
    startedAt: new Date(inFlightCall.startedAt),
  })
  return result
}

async function runTool(deps: Deps, request: ToolCallRequest, dryRun: boolean): Promise<ToolResult> {
  const { tool, inFlightCall } = request
  const { name } = tool.definition
  try {
    const issues = findIssues(tool, request.args)
    if (issues.length > 0) return failedResult(`${name} was not used: ${issues.join('; ')}.`)
    if (tool.config === undefined) {
      return failedResult(`${name} is not set up for this agent: go on without it.`)
    }
    const toolUse = new InFlightToolUse(request, tool.config.value, dryRun)
    const outcome = await inFlightCall.waitFor(tool.kind.run(deps, toolUse))
    return typeof outcome === 'string'
      ? failedResult(`${name} ${abortMessages[outcome]}`)
      : truncateResult(outcome)
  } catch (error) {
    return toFailedResult(deps, name, error)
  }
}

/** A class for its getter: a literal's costs as much as all else of a call. */
class InFlightToolUse implements ToolUse {
  readonly row: ToolRow
  readonly toolName: string
  readonly agentId: number
  readonly config: unknown
  readonly args: Record<string, unknown>
  readonly call: LiveCall | undefined
  readonly dryRun: boolean
  readonly #inFlightCall: InFlightCall

  constructor(
    { tool, agentId, args, call, inFlightCall }: ToolCallRequest,
    config: unknown,
    dryRun: boolean,
  ) {
    this.row = tool.row
    this.toolName = tool.definition.name
    this.agentId = agentId
    this.config = config
    this.args = args
    this.call = call
    this.dryRun = dryRun
    this.#inFlightCall = inFlightCall
  }

  get signal(): AbortSignal {
    return this.#inFlightCall.signal
  }
}

/** What the tool's schema does not permit, then what cannot be stored or read anyway. */
function findIssues(tool: OfferedTool, args: Record<string, unknown>): string[] {
  // First: however large they are, it looks at a bounded part of them.
  const issues = tool.findIssues(args)
  // They repeat names as they were given.
  if (issues.length > 0) return issues.map(toStorableText)
  if (isCleanValue(args, 0)) return []
  return cleanInput(args)
    .details.slice(0, 10)
    .map(({ message }) => message.replace(/\.$/, ''))
}

/** Whether `clean` has nothing to say of a value: nearly always so, and it makes a copy of all that it looks at. */
function isCleanValue(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isCleanText(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth > 10) return false
  if (Array.isArray(value)) return value.every((item) => isCleanValue(item, depth + 1))
  for (const [name, field] of Object.entries(value)) {
    if (name === '__proto__' || !isCleanText(name) || !isCleanValue(field, depth + 1)) return false
  }
  return true
}

const isCleanText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()

const failedResult = (text: string): ToolResult => truncateResult({ text, isError: true })

const abortMessages: Record<AbortReason, string> = {
  canceled: 'was canceled before it had answered. It may have taken effect.',
  timeout: `did not answer within ${toolTimeoutMs / 1_000} seconds. It may have taken effect: do not repeat it, go on without its answer.`,
  stopping: 'was broken off, since the service restarts. It may have taken effect: go on without its answer.',
}

function toFailedResult(deps: Deps, name: string, error: unknown): ToolResult {
  if (error instanceof ApiError) {
    const details = error.details.map(({ message }) => message).filter((message) => message !== error.message)
    return failedResult([error.message, ...details].join(' '))
  }
  const reference = randomUUID().slice(0, 8)
  deps.log.error({ tool: name, reference, error: describeError(error) }, 'a tool failed')
  return isOutage(error)
    ? failedResult(`${name} is away for a moment: try once more, or go on without it.`)
    : failedResult(`${name} failed (reference ${reference}). Do not repeat it: go on without it.`)
}

function truncateResult(result: ToolResult): ToolResult {
  const { text } = result
  if (text.length <= maxResultCharacters) return result
  const truncated = text.slice(0, maxResultCharacters).toWellFormed()
  return {
    ...result,
    text: `${truncated}\n[${text.length - maxResultCharacters} more characters were left out.]`,
  }
}
