import type { GuardedAnswer } from '../../../outbound/guard.ts'
import { redactSecrets, type ToolSecrets } from '../../custom/tool-secrets.ts'
import { refused, told } from '../answer.ts'
import { shorten } from '../shorten.ts'
import type { ToolAnswer } from '../tool-kind.ts'

/** Of an answer no more bytes than this are read. */
export const maxAnswerBytes = 256 * 1024

const errorBytes = 1024

/** What an agent is told of an answer: JSON without its blanks, text as it is, anything else only by its kind. */
export function readAnswer(answer: GuardedAnswer, secrets: ToolSecrets): ToolAnswer {
  const { status } = answer
  if (status >= 300 && status < 400) {
    return refused(`The service answered with a redirect (status ${status}), which is not followed.`)
  }
  if (answer.cut && Buffer.byteLength(answer.body) < maxAnswerBytes) {
    return refused(`The service broke off in the middle of its answer (status ${status}).`)
  }
  const text = textOf(answer)
  const clean = text === undefined ? undefined : redactSecrets(text, secrets)
  if (status >= 400) {
    const said = clean ? `: ${shorten(clean, errorBytes)}` : '.'
    return refused(`The service answered with the error ${status}${said}`)
  }
  if (clean === undefined) {
    return refused(`The service answered with ${contentType(answer) || 'something'} that is no text.`)
  }
  return told(clean === '' ? `Done. The service answered ${status} without a text.` : shorten(clean))
}

/** Undefined where it is no text. */
function textOf(answer: GuardedAnswer): string | undefined {
  const { body } = answer
  if (body === '') return ''
  const type = contentType(answer)
  if (isEncoded(answer) || !/^($|text\/)|[/+](json|xml|x-www-form-urlencoded|x-ndjson)$/.test(type))
    return undefined
  if (body.includes('\0')) return undefined
  return (type.endsWith('json') ? compact(body) : undefined) ?? body.trim()
}

function compact(json: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(json))
  } catch {
    return undefined // cut, or not what it says it is
  }
}

const headerOf = (answer: GuardedAnswer, name: string): string =>
  String(answer.headers[name] ?? '')
    .trim()
    .toLowerCase()

const contentType = (answer: GuardedAnswer): string =>
  headerOf(answer, 'content-type').split(';', 1).join('').trim().slice(0, 100)

const isEncoded = (answer: GuardedAnswer): boolean =>
  !['', 'identity'].includes(headerOf(answer, 'content-encoding'))
