import { invalidField } from '../../core/errors.ts'

const doNotCallSources: Record<string, string> = {
  api: 'an app or a Zap asked for it',
  dashboard: 'a person added it here',
  call: 'the person asked for it in a call',
}

/** Where a refusal came from. */
export const formatDoNotCallSource = (source: string): string => doNotCallSources[source] ?? source

/** Variables as they are typed: one a line, `name = value`. A value of several lines is folded into one. */
export const formatVariables = (variables: Record<string, string>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name} = ${value.replace(/\s*[\r\n]+\s*/g, ' ')}`)
    .join('\n')

/** @throws {ApiError} validation_failed, with the line that is none */
export function parseVariables(text: string): Record<string, string> {
  const lines = text.split(/\r\n|\r|\n/)
  const entries = lines.flatMap((line, index): [string, string][] => {
    if (line.trim() === '') return []
    const at = line.indexOf('=')
    const name = line.slice(0, at).trim()
    const value = line.slice(at + 1).trim()
    if (at < 1 || name === '' || value === '') {
      const message = `Line ${index + 1} is no variable: write one a line, such as product = Roof inspection.`
      throw invalidField('variables', 'invalid_variable', message)
    }
    return [[name, value]]
  })
  return Object.fromEntries(entries)
}
