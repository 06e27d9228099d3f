import { Country, TimeZone } from '@outdial/contract'
import { invalidField } from '../core/errors.ts'

interface WorkspaceInput {
  name: string
  country: string
  timeZone: string
}

const maxNameLength = 200

/**
 * What every workspace has, with its name trimmed.
 *
 * @throws {ApiError} validation_failed
 */
export function checkWorkspace({ name: rawName, country, timeZone }: WorkspaceInput): WorkspaceInput {
  const name = rawName.trim()
  if (name === '') throw invalidField('name', 'required', 'The workspace needs a name.')
  if (name.length > maxNameLength) {
    throw invalidField('name', 'too_big', `The name must have at most ${maxNameLength} characters.`)
  }
  if (!Country.safeParse(country).success) {
    throw invalidField('country', 'invalid_country', `"${country}" is no country code such as US.`)
  }
  if (!TimeZone.safeParse(timeZone).success) {
    throw invalidField(
      'time_zone',
      'invalid_time_zone',
      `"${timeZone}" is no time zone such as Europe/Berlin.`,
    )
  }
  return { name, country, timeZone }
}
