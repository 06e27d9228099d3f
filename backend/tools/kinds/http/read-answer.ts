import type { GuardedAnswer } from '../../../outbound/guard.ts'
import { redactSecrets, type ToolSecrets } from '../../custom/tool-secrets.ts'
import { errorResult, textResult } from '../answer.ts'
import { truncateText } from '../shorten.ts'
import type { ToolAnswer } from '../tool-kind.ts'

/** Of an answer no more bytes than this are read. */
export const maxAnswerBytes = 256 * 1024

const maxErrorBytes = 1024

/** What an agent is told of an answer: JSON without its blanks, text as it is, anything else only by its kind. */
export function readAnswer(answer: GuardedAnswer, secrets: ToolSecrets): ToolAnswer {
  const { status } = answer
  if (status >= 300 && status < 400) {
    return errorResult(`The service answered with a redirect (status ${status}), which is not followed.`)
  }
  if (answer.isTruncated && Buffer.byteLength(answer.body) < maxAnswerBytes) {
    return errorResult(`The service broke off in the middle of its answer (status ${status}).`)
  }
  const text = readText(answer)
  const redacted = text === undefined ? undefined : redactSecrets(text, secrets)
  if (status >= 400) {
    const detail = redacted ? `: ${truncateText(redacted, maxErrorBytes)}` : '.'
    return errorResult(`The service answered with the error ${status}${detail}`)
  }
  if (redacted === undefined) {
    return errorResult(`The service answered with ${contentType(answer) || 'something'} that is no text.`)
  }
  return textResult(
    redacted === '' ? `Done. The service answered ${status} without a text.` : truncateText(redacted),
  )
}

/** Undefined where it is no text. */
function readText(answer: GuardedAnswer): string | undefined {
  const { body } = answer
  if (body === '') return ''
  const type = contentType(answer)
  if (isEncoded(answer) || !/^($|text\/)|[/+](json|xml|x-www-form-urlencoded|x-ndjson)$/.test(type))
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

const getHeader = (answer: GuardedAnswer, name: string): string =>
  String(answer.headers[name] ?? '')
    .trim()
    .toLowerCase()

const contentType = (answer: GuardedAnswer): string =>
  getHeader(answer, 'content-type').split(';', 1).join('').trim().slice(0, 100)

const isEncoded = (answer: GuardedAnswer): boolean =>
  !['', 'identity'].includes(getHeader(answer, 'content-encoding'))
