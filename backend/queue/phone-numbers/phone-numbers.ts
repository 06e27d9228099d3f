import { boundedText, type PhoneNumber, type SearchQuery } from '@outdial/contract'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { notFound } from '../../platform/core/errors.ts'
import { invalidField } from '../../platform/core/form-errors.ts'
import { type Page, toPage } from '../../platform/core/pagination.ts'
import { rule, ruleIssue, validateByRules } from '../../platform/core/validate-rules.ts'
import { insertPhoneNumber, selectActivePhoneNumbers, updatePhoneNumberStatus } from './phone-number-store.ts'

/** Parses a number of any country, written with its country code, to E.164 and the country. */
const NumberWithCountry = boundedText(64).transform((text, context) => {
  const number = parsePhoneNumberFromString(text)
  if (number?.isValid() && number.country !== undefined)
    return { e164: number.number, country: number.country }
  const message = "This phone number isn't valid. Include the country code, for example +1 202 555 0190."
  context.addIssue(ruleIssue('invalid_phone_number', message))
  return z.NEVER
})

const NewPhoneNumber = z.object({
  phone_number: NumberWithCountry,
  label: z
    .string()
    .trim()
    .refine((label) => label !== '', rule('required', 'Enter a label for the number.')),
})

/**
 * Adds a number that the workspace can call from.
 *
 * @throws {ApiError} validation_failed if the number isn't valid, or the workspace already has it
 */
export async function addPhoneNumber(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  input: z.input<typeof NewPhoneNumber>,
): Promise<{ id: number }> {
  const { phone_number: number, label } = validateByRules(NewPhoneNumber, input)
  const added = await insertPhoneNumber(deps.db, workspaceId, {
    phoneNumber: number.e164,
    country: number.country,
    label,
  })
  if (added) return added
  throw invalidField(
    'phone_number',
    'already_used',
    `This workspace already has the number ${number.e164}. Enter a different number.`,
  )
}

/** Lists the numbers that the workspace can call from. */
export const listPhoneNumbers = async (
  deps: Pick<Deps, 'db'>,
  caller: Caller,
  query: SearchQuery,
): Promise<Page<PhoneNumber>> =>
  toPage(await selectActivePhoneNumbers(deps.db, caller.workspaceId, query), query.limit)

/**
 * Activates a retired number, and notifies the dialer of the calls that were waiting for it.
 *
 * @throws {ApiError} not_found
 */
export async function activatePhoneNumber(
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  phoneNumberId: number,
): Promise<void> {
  const isUpdated = await updatePhoneNumberStatus(deps.db, workspaceId, phoneNumberId, 'active')
  if (!isUpdated) throw phoneNumberNotFound()
  deps.notify.callQueued()
}

/**
 * Retires a number, so that no more calls are placed from it. Its queued calls keep waiting.
 *
 * @throws {ApiError} not_found
 */
export async function retirePhoneNumber(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  phoneNumberId: number,
): Promise<void> {
  const isUpdated = await updatePhoneNumberStatus(deps.db, workspaceId, phoneNumberId, 'retired')
  if (!isUpdated) throw phoneNumberNotFound()
}

const phoneNumberNotFound = () => notFound('phone number')
