import { cutText } from '../../platform/core/text.ts'
import { type CallValues, readCallValue } from '../../queue/calls/fill-spoken-text.ts'
import { replacePlaceholders } from '../../queue/calls/greeting.ts'

// A public form can send any name, note, or variable, so the instructions to the model never contain these values. The
// instructions only name the fields of a block of data, which the conversation sends as a separate message.

export const dataStart = '<contact_data>'
export const dataEnd = '</contact_data>'

/** Maximum characters of one value. The rest of a longer one is cut off. */
const maxValueLength = 500

/** Replaces each placeholder of an instruction with the quoted name of its field: {{day|soon}} becomes "day". */
export const nameFields = (instruction: string): string =>
  replacePlaceholders(instruction, ({ name }) => `"${name}"`)

/**
 * Returns the block of data: JSON with a field per line, for the contact's name, the placeholders of the instructions, and
 * the contact's variables. Null stands for a value that's unknown.
 */
export function buildContactData(instructions: readonly string[], values: CallValues): string {
  const fallbacks = listFallbacks(instructions)
  const named = [...new Set(['first_name', 'last_name', ...fallbacks.keys()])].map(
    (name) => [name, readCallValue(name, values) || (fallbacks.get(name) ?? null)] as const,
  )
  const names = new Set(named.map(([name]) => name))
  const others = Object.entries(values.contact?.variables ?? {}).filter(
    ([name, value]) => !names.has(name) && value.trim() !== '',
  )
  const lines = [...named, ...others].map(
    ([name, value]) => `  ${toSafeJson(name)}: ${toSafeJson(value && cutText(value.trim(), maxValueLength))}`,
  )
  return [dataStart, '{', lines.join(',\n'), '}', dataEnd].join('\n')
}

/** Lists the names of the placeholders in texts, each with its first fallback, if it has one. */
function listFallbacks(texts: readonly string[]): Map<string, string | undefined> {
  const fallbacks = new Map<string, string | undefined>()
  for (const text of texts) {
    replacePlaceholders(text, ({ text: placeholder, name, fallback }) => {
      fallbacks.set(name, fallbacks.get(name) ?? fallback)
      return placeholder
    })
  }
  return fallbacks
}

/**
 * Returns JSON on one line. Escapes angle brackets and line separators, so that the value can't end the block. Also escapes
 * characters that are invisible or change the direction of text, because they can hide instructions from people.
 */
const toSafeJson = (value: string | null): string =>
  JSON.stringify(value).replace(/[<>\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter)

const escapeCharacter = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
