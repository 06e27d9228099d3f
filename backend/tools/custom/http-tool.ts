import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { version } from '../../version.ts'
import { describeNetworkError } from '../../outbound/describe-network-error.ts'
import { createGuardedSend, type GuardedResponse } from '../../outbound/guard.ts'
import { findTargetUrlIssue } from '../../outbound/target-url.ts'
import { openSecrets } from './tool-secrets.ts'
import { dryRunResult, errorResult } from '../kinds/answer.ts'
import { maxResponseBytes, toToolResult } from '../kinds/http/read-answer.ts'
import { createRequest, type HttpToolRequest } from './http-tool-request.ts'
import { HttpSettings } from '../kinds/http/settings.ts'
import { InvalidArgumentError } from './url-template.ts'
import type { ToolResult, ToolKind, ToolUse } from '../kinds/tool-kind.ts'

/** Reaches a connected integration by one HTTP request, all of which is described in the tool's row. */
export const httpTool = createHttpTool({ timeoutMs: 15_000 })

/** @param options.timeoutMs for one request, its answer included; less than a tool call may take */
export function createHttpTool(options: { timeoutMs: number }): ToolKind {
  return {
    kind: 'http',
    settings: HttpSettings,
    config: z.strictObject({}),
    hasEffects: ({ settings }) => HttpSettings.parse(settings).method !== 'GET',
    builtIn: undefined,
    definitions: ({ name, description, inputSchema }) => [{ name, description, inputSchema }],
    run: async (deps, use) => {
      const settings = HttpSettings.parse(use.row.settings)
      const secrets = openSecrets(deps.secretBox, use.row.secrets)
      const request = tryCreateRequest(() =>
        createRequest(use.row, settings, use.args, use.dryRun ? {} : secrets),
      )
      if (typeof request === 'string') return errorResult(`The arguments do not fit: ${request}.`)
      if (use.dryRun) return toDryRunResult(request)

      const urlError = findTargetUrlIssue(deps.config, request.url.href)
      if (urlError !== undefined) return errorResult(`The request cannot be sent. ${urlError}`)
      const response = await sendRequest(deps, use, request, options.timeoutMs)
      return 'isError' in response ? response : toToolResult(response, secrets)
    },
  }
}

function tryCreateRequest(create: () => HttpToolRequest): HttpToolRequest | string {
  try {
    return create()
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message
    throw error
  }
}

/** Without its query: secrets stand there. */
const toDryRunResult = ({ method, url, body }: HttpToolRequest): ToolResult =>
  dryRunResult(
    `This would have been sent: ${method} ${url.origin}${url.pathname}${body ? ` with ${body}` : ''}`,
  )

async function sendRequest(
  deps: Deps,
  use: ToolUse,
  request: HttpToolRequest,
  timeoutMs: number,
): Promise<GuardedResponse | ToolResult> {
  const guardedSend = createGuardedSend({ allowLoopback: deps.config.allowLoopbackWebhooks })
  const headers = {
    accept: 'application/json, text/*;q=0.9',
    'accept-encoding': 'identity',
    'user-agent': `Outdial/${version}`,
    ...request.headers,
  }
  const signal = AbortSignal.any([use.signal, AbortSignal.timeout(timeoutMs)])
  try {
    const response = await guardedSend({ ...request, headers, signal, maxBytes: maxResponseBytes })
    use.signal.throwIfAborted()
    return response
  } catch (error) {
    use.signal.throwIfAborted()
    const failure = describeNetworkError(error)
    if (failure === undefined) throw error
    const uncertainty =
      request.method === 'GET' ? '' : ' It is not known whether it took effect: do not repeat it.'
    return errorResult(`The service gave no answer: ${failure}.${uncertainty}`)
  }
}
