import { invalidField } from '../../core/errors.ts'

/**
 * Headers as people type them, `Name: value` on a line each.
 *
 * @throws {ApiError} validation_failed for a line that is none
 */
export function parseHeaders(text: string): Record<string, string> {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
  return Object.fromEntries(
    lines.map((line, index) => {
      const at = line.indexOf(':')
      if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      throw invalidField(
        'headers',
        'invalid_format',
        `Line ${index + 1} is no header: write it as Name: value.`,
      )
    }),
  )
}

export const formatHeaders = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
