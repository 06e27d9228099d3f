import { AddContact } from '@outdial/contract'
import type * as z from 'zod'
import { invalidField } from '../core/errors.ts'
import type { ContactValues } from './contact-store.ts'

/** What is written of a known contact: a field that is left out stays as it is, null clears it. */
export const ContactFields = AddContact.pick({
  first_name: true,
  last_name: true,
  email: true,
  external_id: true,
  time_zone: true,
  variables: true,
})
export type ContactFields = z.infer<typeof ContactFields>

export const toFieldValues = (input: ContactFields): Omit<ContactValues, 'consent'> => ({
  firstName: input.first_name,
  lastName: input.last_name,
  email: input.email,
  externalId: input.external_id,
  timeZone: input.time_zone,
  variables: input.variables,
})

const maxVariables = 100

/** Each request is within the limit, but they add up. */
export function checkVariableCount(variables: Record<string, string>): void {
  if (Object.keys(variables).length <= maxVariables) return
  const message = `A contact has at most ${maxVariables} variables: clear the stored ones with null first.`
  throw invalidField('variables', 'too_big', message)
}
