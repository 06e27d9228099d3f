import { rejectOnAbort } from '../../../platform/core/abort.ts'
import { secondMs } from '../../../platform/core/durations.ts'
import { openToolClient, toolSessionUrl } from '../tool-client.ts'
import { type Intent, parseTimeZone, pickArguments, type ToolStep, toToolStep } from './tool-steps.ts'

interface SimulatedAgentOptions {
  /** The tool server's base URL, without a trailing slash. */
  url: string
  /** Returns the current runtime secret. */
  secret: () => string
  /** Called when a tool couldn't be used. `reason` doesn't contain secrets. */
  onError: (failure: { attempt: string; reason: string }) => void
  /** Maximum time for one tool call, in milliseconds, including opening the session. */
  stepTimeoutMs?: number
  /** Maximum time for all tool calls in a conversation, in milliseconds. */
  totalTimeoutMs?: number
}

/** Maximum characters of a tool's turn in the transcript. The call's record has the full result. */
const maxToolTextLength = 120

/**
 * Creates the agent of simulated calls: an MCP client that uses its tools over HTTP, like any agent runtime. Tools that
 * fail, hang, or don't exist can delay the conversation by a few seconds but never end the call. Tool calls take real time,
 * even if the simulation is sped up.
 */
export const createSimulatedAgent = (options: SimulatedAgentOptions): SimulatedAgent => ({
  join: (call, conversation) => {
    const { url, secret, onError, stepTimeoutMs = 5 * secondMs, totalTimeoutMs = 20 * secondMs } = options
    const leaving = new AbortController()
    const ended = AbortSignal.any([conversation.signal, leaving.signal])
    const withTimeout = (ms: number) =>
      AbortSignal.any([ended, AbortSignal.timeout(Math.max(0, Math.round(ms)))])
    const reportError = (error: unknown) => {
      if (!ended.aborted) onError({ attempt: call.attemptId, reason: describeErrorKind(error) })
    }
    const connecting = openToolClient(toolSessionUrl(url, call), secret(), withTimeout(stepTimeoutMs)).catch(
      reportError,
    )
    let remainingMs = totalTimeoutMs
    let stopped = false
    /** The contact's time zone, after the agent has looked up the contact. */
    let timeZone = 'UTC'

    /** Returns undefined if the agent doesn't have the tool or can't fill in its required arguments. */
    const useTool = async (step: ToolStep, signal: AbortSignal): Promise<ToolOutcome | undefined> => {
      const client = await rejectOnAbort(connecting, signal)
      if (client === undefined) {
        stopped = true
        return {
          text: "Couldn't use tools",
          succeeded: false,
        }
      }
      const tool = client.tools.get(step.tool)
      const args = tool && pickArguments(tool.inputSchema, step.args)
      if (args === undefined) return undefined
      const result = await client.call(step.tool, args, signal)
      if (step.tool === 'contact_lookup') timeZone = parseTimeZone(result.text) ?? timeZone
      if (result.isError) return { text: `Couldn't ${step.actionPhrase}`, succeeded: false }
      const text = shorten(step.successText)
      return { text: isDryRun(result.text) ? `${text} (test call, nothing changed)` : text, succeeded: true }
    }

    const act: ActiveAgent['act'] = async (intent) => {
      if (stopped || ended.aborted) return undefined
      const step = toToolStep(intent, { ...conversation, timeZone })
      const startedAt = performance.now()
      try {
        return await useTool(step, withTimeout(Math.min(stepTimeoutMs, remainingMs)))
      } catch (error) {
        reportError(error)
        return { text: `Couldn't ${step.actionPhrase}`, succeeded: false }
      } finally {
        remainingMs -= performance.now() - startedAt
        stopped ||= remainingMs <= 0
      }
    }

    return {
      act,
      leave: async () => {
        leaving.abort()
        await (await connecting)?.close()
      },
    }
  },
})

/** Returns true if the tool would have changed something, but didn't because this is a test call. */
const isDryRun = (resultText: string): boolean => resultText.startsWith('Test call:')

/** Shortens a text, and returns it on one line without NUL and lone surrogates, which the database can't store. */
function shorten(text: string): string {
  const singleLine = text.replaceAll('\u0000', ' ').replace(/\s+/g, ' ').trim()
  return (
    singleLine.length > maxToolTextLength ? `${singleLine.slice(0, maxToolTextLength - 1)}…` : singleLine
  ).toWellFormed()
}

/** Returns an error's name and code only, because its message can contain anything that a server sent. */
function describeErrorKind(error: unknown): string {
  const name = typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : 'Error'
  const code = typeof error === 'object' && error !== null && 'code' in error ? ` ${String(error.code)}` : ''
  return `${name}${code}`
}

/** The result of using a tool, as the transcript shows it. */
interface ToolOutcome {
  text: string
  succeeded: boolean
}

/** The agent in one call. */
export interface ActiveAgent {
  /**
   * Uses a tool within the remaining time. Resolves to undefined if the agent has no tool for the intent or has stopped
   * using tools. Never rejects, so the conversation continues if a tool fails.
   */
  act(intent: Intent): Promise<ToolOutcome | undefined>
  /** Ends the tool session. */
  leave(): Promise<void>
}

export interface SimulatedAgent {
  /**
   * Joins a call that has just been answered. Returns immediately.
   *
   * @param conversation `signal` aborts at the hang-up; `fill` replaces the placeholders in a text
   */
  join(
    call: { widgetId: string; attemptId: string },
    conversation: { signal: AbortSignal; fill: (text: string) => string; now: () => Date },
  ): ActiveAgent
}
