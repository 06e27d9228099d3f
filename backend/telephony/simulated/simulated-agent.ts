import type { Act, AgentInCall, CallAgent } from '../../runtime/agent.ts'
import { argumentsFor } from '../../runtime/arguments-for.ts'
import { type Move, moveFor, timeZoneIn } from './tool-steps.ts'
import { orAborted } from '../../core/abort.ts'
import { sessionUrl } from '../../runtime/session-url.ts'
import { openToolSession } from '../tool-session.ts'

export interface CallAgentOptions {
  /** Where the tool server is, without a trailing slash. */
  url: string
  /** The runtime secret, as it is now. */
  secret: () => string
  /** Hears, in words without secrets, why a tool could not be used. */
  onTrouble: (trouble: { attempt: string; reason: string }) => void
  /** Milliseconds that the other side waits for one use of a tool, opening the session included. */
  stepMs?: number
  /** Milliseconds that all tools of a talk may cost. */
  budgetMs?: number
}

/** As much of an answer as a transcript needs. */
const mostTold = 300

/**
 * The agent of simulated calls: an MCP client that reaches its tools over HTTP only, as a runtime of anybody's
 * would. Tools that fail, hang or are not there cost the talk a few seconds, never the call. Their time is the
 * machine's: a line that is sped up does not speed them up.
 */
export const createCallAgent = (options: CallAgentOptions): CallAgent => ({
  join: (call, talk) => {
    const { url, secret, onTrouble, stepMs = 5_000, budgetMs = 20_000 } = options
    const left = new AbortController()
    const over = AbortSignal.any([talk.signal, left.signal])
    const within = (ms: number) => AbortSignal.any([over, AbortSignal.timeout(Math.max(0, Math.round(ms)))])
    const trouble = (error: unknown) => {
      if (!over.aborted) onTrouble({ attempt: call.attemptId, reason: wordsFor(error) })
    }
    const opening = openToolSession(sessionUrl(url, call), secret(), within(stepMs)).catch(trouble)
    let budget = budgetMs
    let givenUp = false
    /** The contact's, once the agent was told. */
    let timeZone = 'UTC'

    /** Undefined where the agent has no such tool, or not what it asks for. */
    const use = async (move: Move, limit: AbortSignal): Promise<Act | undefined> => {
      const session = await orAborted(opening, limit)
      if (session === undefined) {
        givenUp = true
        return { text: 'Could not use the tools: the tool server did not let the agent in.', done: false }
      }
      const schema = session.tools.get(move.tool)
      const args = schema && argumentsFor(schema, move.args)
      if (args === undefined) return undefined
      const answer = await session.call(move.tool, args, limit)
      if (move.tool === 'contact_lookup') timeZone = timeZoneIn(answer.text) ?? timeZone
      const said = shorten(answer.text)
      return answer.isError
        ? { text: `Could not ${move.tried}: ${said}`, done: false }
        : { text: `${move.did}: ${said}`, done: true }
    }

    const act: AgentInCall['act'] = async (intent) => {
      if (givenUp || over.aborted) return undefined
      const move = moveFor(intent, { ...talk, timeZone })
      const startedAt = performance.now()
      try {
        return await use(move, within(Math.min(stepMs, budget)))
      } catch (error) {
        trouble(error)
        return { text: `Could not ${move.tried}: the tool did not answer.`, done: false }
      } finally {
        budget -= performance.now() - startedAt
        givenUp ||= budget <= 0
      }
    }

    return {
      act,
      leave: async () => {
        left.abort()
        await (await opening)?.close()
      },
    }
  },
})

/** One line. What a database cannot store (NUL, halves of characters) must not cost the call its transcript. */
function shorten(text: string): string {
  const line = text.replaceAll('\u0000', ' ').replace(/\s+/g, ' ').trim()
  return (line.length > mostTold ? `${line.slice(0, mostTold - 1)}…` : line).toWellFormed()
}

/** The kind of an error alone: what a server answers may hold anything. */
function wordsFor(error: unknown): string {
  const name = typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : 'Error'
  const code = typeof error === 'object' && error !== null && 'code' in error ? ` ${String(error.code)}` : ''
  return `${name}${code}`
}
