import { rejectOnAbort } from '../../core/abort.ts'
import { openToolSession, toolSessionUrl } from '../tool-session.ts'
import { type Intent, parseTimeZone, pickArguments, type ToolStep, toToolStep } from './tool-steps.ts'

export interface SimulatedAgentOptions {
  /** Where the tool server is, without a trailing slash. */
  url: string
  /** The runtime secret, as it is now. */
  secret: () => string
  /** Hears, in words without secrets, why a tool could not be used. */
  onError: (failure: { attempt: string; reason: string }) => void
  /** Milliseconds that the other side waits for one use of a tool, opening the session included. */
  stepTimeoutMs?: number
  /** Milliseconds that all tools of a talk may cost. */
  budgetMs?: number
}

/** As much of an answer as a transcript needs. */
const maxToolTextLength = 300

/**
 * The agent of simulated calls: an MCP client that reaches its tools over HTTP only, as a runtime of anybody's
 * would. Tools that fail, hang or are not there cost the talk a few seconds, never the call. Their time is the
 * machine's: a line that is sped up does not speed them up.
 */
export const createSimulatedAgent = (options: SimulatedAgentOptions): SimulatedAgent => ({
  join: (call, conversation) => {
    const { url, secret, onError, stepTimeoutMs = 5_000, budgetMs = 20_000 } = options
    const leaving = new AbortController()
    const ended = AbortSignal.any([conversation.signal, leaving.signal])
    const withTimeout = (ms: number) =>
      AbortSignal.any([ended, AbortSignal.timeout(Math.max(0, Math.round(ms)))])
    const reportError = (error: unknown) => {
      if (!ended.aborted) onError({ attempt: call.attemptId, reason: describeErrorKind(error) })
    }
    const opening = openToolSession(toolSessionUrl(url, call), secret(), withTimeout(stepTimeoutMs)).catch(
      reportError,
    )
    let remainingMs = budgetMs
    let stopped = false
    /** The contact's, once the agent was told. */
    let timeZone = 'UTC'

    /** Undefined where the agent has no such tool, or not what it asks for. */
    const useTool = async (step: ToolStep, signal: AbortSignal): Promise<ToolOutcome | undefined> => {
      const session = await rejectOnAbort(opening, signal)
      if (session === undefined) {
        stopped = true
        return {
          text: 'Could not use the tools: the tool server did not let the agent in.',
          succeeded: false,
        }
      }
      const schema = session.tools.get(step.tool)
      const args = schema && pickArguments(schema, step.args)
      if (args === undefined) return undefined
      const result = await session.call(step.tool, args, signal)
      if (step.tool === 'contact_lookup') timeZone = parseTimeZone(result.text) ?? timeZone
      const text = shorten(result.text)
      return result.isError
        ? { text: `Could not ${step.failureText}: ${text}`, succeeded: false }
        : { text: `${step.successText}: ${text}`, succeeded: true }
    }

    const act: ActiveAgent['act'] = async (intent) => {
      if (stopped || ended.aborted) return undefined
      const step = toToolStep(intent, { ...conversation, timeZone })
      const startedAt = performance.now()
      try {
        return await useTool(step, withTimeout(Math.min(stepTimeoutMs, remainingMs)))
      } catch (error) {
        reportError(error)
        return { text: `Could not ${step.failureText}: the tool did not answer.`, succeeded: false }
      } finally {
        remainingMs -= performance.now() - startedAt
        stopped ||= remainingMs <= 0
      }
    }

    return {
      act,
      leave: async () => {
        leaving.abort()
        await (await opening)?.close()
      },
    }
  },
})

/** One line. What a database cannot store (NUL, halves of characters) must not cost the call its transcript. */
function shorten(text: string): string {
  const singleLine = text.replaceAll('\u0000', ' ').replace(/\s+/g, ' ').trim()
  return (
    singleLine.length > maxToolTextLength ? `${singleLine.slice(0, maxToolTextLength - 1)}…` : singleLine
  ).toWellFormed()
}

/** The kind of an error alone: what a server answers may hold anything. */
function describeErrorKind(error: unknown): string {
  const name = typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : 'Error'
  const code = typeof error === 'object' && error !== null && 'code' in error ? ` ${String(error.code)}` : ''
  return `${name}${code}`
}

/** What came of it, as a transcript tells it. */
export interface ToolOutcome {
  text: string
  succeeded: boolean
}

/** The agent in one call, with its tools at hand. */
export interface ActiveAgent {
  /**
   * Does something, within the time that the agent has for it. Undefined where it has no tool for that, or has
   * given its tools up. Never rejects: whatever tools do, the talk goes on.
   */
  act(intent: Intent): Promise<ToolOutcome | undefined>
  /** The talk is over. */
  leave(): Promise<void>
}

/** Who talks on the simulated line. */
export interface SimulatedAgent {
  /**
   * Joins a call that has just been answered; returns at once.
   *
   * @param conversation `signal` aborts at the hang-up; `fill` fills the names in a text
   */
  join(
    call: { widgetId: string; attemptId: string },
    conversation: { signal: AbortSignal; fill: (text: string) => string; now: () => Date },
  ): ActiveAgent
}
