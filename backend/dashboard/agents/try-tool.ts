import type { Deps } from '../../deps.ts'
import { toolSessionUrl } from '../../runtime/session-url.ts'
import { openToolSession, type ToolSession } from '../../telephony/tool-session.ts'

/** How a trial went. */
export type Trial =
  | { kind: 'answered'; text: string; isError: boolean; milliseconds: number }
  /** The tool server did not get as far as the tool. */
  | { kind: 'failed'; reason: string }

/** Milliseconds to open a session in, and to use the tool in: a little more than the tool server allows. */
const timeoutsMs = { open: 10_000, call: 25_000 }

/** Uses a tool of an agent as its runtime would: over HTTP, in a session of the tool server, without a call. */
export const tryTool =
  ({ config, runtimeSecrets }: Pick<Deps, 'config' | 'runtimeSecrets'>) =>
  async (widgetId: string, name: string, args: Record<string, unknown>): Promise<Trial> => {
    const [secret] = runtimeSecrets()
    if (secret === undefined)
      return failed('No runtime secret is set: set RUNTIME_SECRET where Outdial runs.')
    const url = toolSessionUrl(config.internalUrl, { widgetId })
    const session = await openToolSession(url, secret, AbortSignal.timeout(timeoutsMs.open)).catch(toReason)
    if (typeof session === 'string') return failed(session)
    try {
      if (!session.tools.has(name)) return failed(`The tool server does not offer ${name} to this agent.`)
      return await callTool(session, name, args)
    } finally {
      await session.close()
    }
  }

async function callTool(session: ToolSession, name: string, args: Record<string, unknown>): Promise<Trial> {
  const startedAt = performance.now()
  try {
    const { text, isError } = await session.call(name, args, AbortSignal.timeout(timeoutsMs.call))
    return { kind: 'answered', text, isError, milliseconds: Math.round(performance.now() - startedAt) }
  } catch (error) {
    return failed(
      `The tool server gave no answer, and it is not known whether the tool was used. ${errorName(error)}`,
    )
  }
}

const failed = (reason: string): Trial => ({ kind: 'failed', reason })

/** Without what the server said: it repeats addresses. */
function toReason(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (code === 401) return 'The tool server does not take the runtime secret.'
  if (code === 403)
    return 'The tool server lets this agent in only while it is live, and only by an address of its own.'
  return `The tool server cannot be reached by INTERNAL_URL. ${errorName(error)}`
}

const errorName = (error: unknown): string => (error instanceof Error ? `(${error.name})` : '')
