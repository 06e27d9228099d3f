import type { GuardedResponse } from '../../../outbound/guard.ts'
import { redactSecrets, type ToolSecrets } from '../../custom/tool-secrets.ts'
import { errorResult, textResult } from '../answer.ts'
import { truncateText } from '../shorten.ts'
import type { ToolResult } from '../tool-kind.ts'

/** Of an answer no more bytes than this are read. */
export const maxResponseBytes = 256 * 1024

const maxErrorBytes = 1024

/** What an agent is told of an answer: JSON without its blanks, text as it is, anything else only by its kind. */
export function toToolResult(response: GuardedResponse, secrets: ToolSecrets): ToolResult {
  const { status } = response
  if (status >= 300 && status < 400) {
    return errorResult(`The service answered with a redirect (status ${status}), which is not followed.`)
  }
  if (response.isTruncated && Buffer.byteLength(response.body) < maxResponseBytes) {
    return errorResult(`The service broke off in the middle of its answer (status ${status}).`)
  }
  const text = readText(response)
  const redacted = text === undefined ? undefined : redactSecrets(text, secrets)
  if (status >= 400) {
    const detail = redacted ? `: ${truncateText(redacted, maxErrorBytes)}` : '.'
    return errorResult(`The service answered with the error ${status}${detail}`)
  }
  if (redacted === undefined) {
    return errorResult(`The service answered with ${contentType(response) || 'something'} that is no text.`)
  }
  return textResult(
    redacted === '' ? `Done. The service answered ${status} without a text.` : truncateText(redacted),
  )
}

/** Undefined where it is no text. */
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
    return undefined // cut, or not what it says it is
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
