import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { Deps } from '../deps.ts'
import { invalidField } from '../core/errors.ts'
import { insertPhoneNumber } from './phone-number-store.ts'

/**
 * Adds a number that calls can be made from.
 *
 * @throws {ApiError} validation_failed for what is no number in E.164, or is there already
 */
export const addPhoneNumber =
  (deps: Pick<Deps, 'db'>) =>
  async (workspaceId: number, input: { phoneNumber: string; label: string }): Promise<{ id: number }> => {
    const number = parsePhoneNumberFromString(input.phoneNumber)
    if (!number?.isValid() || number.country === undefined) {
      const message = `"${input.phoneNumber}" is no phone number with its country, such as +12025550190.`
      throw invalidField('phone_number', 'invalid_phone_number', message)
    }
    const label = input.label.trim()
    if (label === '') throw invalidField('label', 'required', 'The number needs a label.')
    const added = await insertPhoneNumber(deps.db, workspaceId, {
      phoneNumber: number.number,
      label,
      country: number.country,
    })
    if (added) return added
    throw invalidField(
      'phone_number',
      'already_used',
      `The workspace has the number ${number.number} already.`,
    )
  }
