import type { RuntimeDialRequest } from '@outdial/contract'
import { attemptReportsPath } from '../../../platform/core/runtime-paths.ts'
import {
  callLimits,
  type DialControls,
  type DialRequest,
  type ProviderResult,
  type TelephonyProvider,
} from '../provider.ts'
import { toolSessionUrl } from '../tool-client.ts'
import { findAnalysis } from './attempt-reports.ts'
import { detachedResult, followAttempt, type FollowDeps, type RequestStatus } from './follow-attempt.ts'
import type { Reachability } from './reachability.ts'
import { createReportReader } from './report-reader.ts'

interface HttpProviderDeps extends FollowDeps {
  /** The base URL at which the runtime reaches this service, without a trailing slash. */
  internalUrl: string
  reachability: Pick<Reachability, 'limitCapacity'>
  /** Returns the token of an attempt, always the same one. */
  createToken: (attemptId: string) => string
}

export const httpProviderName = 'http'

/** How often an attempt's reports are read without a notification. */
const pollMs = 250

/**
 * Creates the provider for a custom agent runtime. The runtime gets one dial request per attempt. After that, it's only
 * asked for the call's state or to hang up. Any replica can receive its reports, and this provider reads them from the
 * table when it's notified, or at the latest after `pollMs`. Calls continue when this process dies.
 */
export function createHttpProvider(deps: HttpProviderDeps): TelephonyProvider {
  const { runtime, internalUrl, reachability, createToken, onError } = deps
  const reports = createReportReader(deps, pollMs)

  return {
    name: httpProviderName,
    resumable: true,
    speed: 1,
    reportReceived: (attemptId) => reports.notify(attemptId),
    limitCapacity: (capacity) => reachability.limitCapacity(capacity),
    dial: async (request, dialing) => {
      const { attemptId } = request
      let status: RequestStatus = 'sending'
      const requestSent = runtime
        .dial(toRuntimeDialRequest(request, internalUrl, createToken(attemptId)))
        .then((response) => void (status = response))
      const following = followAttempt({ deps, reports, attemptId, dialing }, () => status)
      const ended = await Promise.race([following, whenDetached(dialing, requestSent)])
      return ended.outcome === 'unknown' ? { outcome: 'failed' } : ended
    },
    resume: ({ attemptId }, dialing) =>
      Promise.race([
        followAttempt({ deps, reports, attemptId, dialing }, () => 'unknown'),
        whenDetached(dialing, Promise.resolve()),
      ]),
    analyze: async (request, _, signal) => {
      for (;;) {
        const found = await reports
          .read(request.attemptId, signal)
          .catch((error: unknown) => (onError(request.attemptId, error), []))
        const analysis = findAnalysis(found)
        if (analysis !== undefined) return analysis ?? undefined
        if (signal.aborted) return undefined
      }
    },
  }
}

/**
 * Resolves when this worker stops listening, but not while a dial request is being sent. The next worker asks the
 * runtime about the attempt, so the runtime must already know it.
 */
const whenDetached = ({ detached }: DialControls, requestSent: Promise<void>): Promise<ProviderResult> =>
  new Promise((resolve) => {
    const detach = () => void requestSent.then(() => resolve(detachedResult))
    if (detached.aborted) detach()
    detached.addEventListener('abort', detach, { once: true })
  })

const toRuntimeDialRequest = (
  request: DialRequest,
  internalUrl: string,
  attemptToken: string,
): RuntimeDialRequest => {
  const { attemptId, agent, contact } = request
  const toolSession = { widgetId: agent.widgetId, attemptId }
  return {
    attempt_id: attemptId,
    attempt_token: attemptToken,
    call_id: request.callId,
    attempt: request.number,
    from_number: request.fromNumber,
    to_number: request.toNumber,
    agent: {
      widget_id: agent.widgetId,
      name: agent.name,
      version: agent.version,
      language: agent.language,
      greeting: agent.greeting,
      instructions: agent.instructions,
      speaks_first: agent.speaksFirst,
      goal: agent.goal,
      results: [...agent.results],
      model: agent.model,
      closing_line: agent.closingLine,
      ai_disclosure: agent.aiDisclosure,
    },
    campaign: { name: request.campaignName },
    contact: {
      first_name: contact.firstName,
      last_name: contact.lastName,
      variables: contact.variables,
    },
    tools_url: toolSessionUrl(internalUrl, toolSession).href,
    tools_http_url: toolSessionUrl(internalUrl, toolSession, 'streamable').href,
    reports_url: `${internalUrl}${attemptReportsPath(attemptId)}`,
    ring_limit_seconds: callLimits.ringSeconds,
    call_limit_seconds: agent.maxMinutes === null ? callLimits.callSeconds : agent.maxMinutes * 60,
  }
}
