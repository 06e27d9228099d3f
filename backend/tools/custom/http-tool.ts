import { type CatalogMessage, toErrorMessage, toolResultTexts } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { describeNetworkError } from '../../platform/outbound/describe-network-error.ts'
import { createGuardedSend, type GuardedResponse, isNotSent } from '../../platform/outbound/guard.ts'
import { findTargetUrlIssue } from '../../platform/outbound/target-url.ts'
import { version } from '../../version.ts'
import {
  dryRunResult,
  errorResult,
  failedResult,
  textResult,
  type ToolKind,
  type ToolResult,
  type ToolUse,
  truncateText,
} from '../kinds/tool-kind.ts'
import { createRequest, type HttpToolRequest } from './http-tool-request.ts'
import { openSecrets, redactSecrets, type ToolSecrets } from './tool-secrets.ts'
import { HttpSettings } from './tool-settings.ts'
import { InvalidArgumentError } from './url-template.ts'

/** Sends one HTTP request to a service, as described in the tool's row. */
export const httpTool = createHttpTool({ timeoutMs: 15 * secondMs })

/** @param options.timeoutMs limit for one request with its response; less than the limit of a tool call */
export function createHttpTool(options: { timeoutMs: number }): ToolKind {
  return {
    kind: 'http',
    settings: HttpSettings,
    config: z.strictObject({}),
    hasEffects: ({ name, settings }) => new Set(HttpSettings.parse(settings).method === 'GET' ? [] : [name]),
    builtIn: undefined,
    definitions: ({ name, description, inputSchema }) => [{ name, description, inputSchema }],
    run: async (deps, use) => {
      const settings = HttpSettings.parse(use.row.settings)
      const secrets = openSecrets(deps.secretBox, use.row)
      const request = tryCreateRequest(() =>
        createRequest(use.row, settings, use.args, use.dryRun ? {} : secrets),
      )
      if (typeof request === 'string') return errorResult(request)
      if (use.dryRun) return toDryRunResult(use, request)

      const urlError = findTargetUrlIssue(deps.config, request.url.href)
      if (urlError !== undefined) return failedResult('request_not_sent', { reason: urlError })
      const response = await sendRequest(deps, use, request, options.timeoutMs)
      return 'isError' in response ? response : toToolResult(response, secrets)
    },
  }
}

function tryCreateRequest(create: () => HttpToolRequest): HttpToolRequest | CatalogMessage {
  try {
    return create()
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.text
    throw error
  }
}

/** Returns what would have been sent, without the query, which can contain secrets. */
const toDryRunResult = (use: ToolUse, { method, url, body }: HttpToolRequest): ToolResult =>
  dryRunResult(
    use,
    `This would have been sent: ${method} ${url.origin}${url.pathname}${body ? ` with ${body}` : ''}`,
  )

async function sendRequest(
  deps: Pick<Deps, 'config'>,
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
    const isSafe = request.method === 'GET' || isNotSent(error)
    return failedResult(isSafe ? 'no_response' : 'no_response_to_change', { reason: failure })
  }
}

/** Maximum bytes of a response that are read. */
export const maxResponseBytes = 256 * 1024

const maxErrorBytes = 1024

/** Converts a response for the agent: JSON without whitespace, or other text, without secrets. Anything else is a failure. */
function toToolResult(response: GuardedResponse, secrets: ToolSecrets): ToolResult {
  const { status } = response
  if (status >= 300 && status < 400) {
    return failedResult('redirected', { status })
  }
  if (response.isTruncated && Buffer.byteLength(response.body) < maxResponseBytes) {
    return failedResult('incomplete_response', { status })
  }
  const text = readText(response)
  const redacted = text === undefined ? undefined : redactSecrets(text, secrets)
  if (status >= 400) {
    const message = toErrorMessage(toolResultTexts.service_error, { status })
    return errorResult(message, redacted && truncateText(redacted, maxErrorBytes))
  }
  if (redacted === undefined) {
    return failedResult('unreadable_response', { type: contentType(response) || 'unknown type' })
  }
  return textResult(
    redacted === '' ? `Done. The service returned status ${status} without text.` : truncateText(redacted),
  )
}

/** Returns the text of a response. Undefined if the response isn't text. */
function readText(response: GuardedResponse): string | undefined {
  const { body } = response
  if (body === '') return ''
  const type = contentType(response)
  if (isEncoded(response) || !/^($|text\/)|[/+](json|xml|x-www-form-urlencoded|x-ndjson)$/.test(type))
    return undefined
  if (body.includes('\0')) return undefined
  return (type.endsWith('json') ? compactJson(body) : undefined) ?? body.trim()
}

function compactJson(json: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(json))
  } catch {
    return undefined // truncated, or not JSON despite its content type
  }
}

const getHeader = (response: GuardedResponse, name: string): string =>
  String(response.headers[name] ?? '')
    .trim()
    .toLowerCase()

const contentType = (response: GuardedResponse): string =>
  getHeader(response, 'content-type').split(';', 1).join('').trim().slice(0, 100)

const isEncoded = (response: GuardedResponse): boolean =>
  !['', 'identity'].includes(getHeader(response, 'content-encoding'))
