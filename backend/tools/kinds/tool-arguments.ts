import { type ContactDetails, findContactsBy } from '../../contacts/find-contacts.ts'
import { ApiError, fieldError } from '../../core/errors.ts'
import { parsePhone } from '../../core/phone.ts'
import type { Deps } from '../../deps.ts'
import { findWorkspaceCountry } from '../../identity/workspaces.ts'
import type { ToolUse } from './tool-kind.ts'

/** Selects a contact other than the one on the call. */
export const phoneNumberArgument = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'Phone number of the contact. Leave it out for the person on this call.',
} as const

/**
 * Returns the contact that a tool acts on: the one with the phone number in its arguments, or else the one on the call.
 *
 * @throws {ApiError} not_found, validation_failed; the message is for the agent
 */
export async function resolveContact({ db }: Pick<Deps, 'db'>, use: ToolUse): Promise<ContactDetails> {
  const { workspaceId } = use.row
  const given = textArgument(use, 'phone_number')
  if (given === undefined && use.call === undefined) {
    throw fieldError('phone_number', 'required.contact')
  }
  const [contact] =
    given === undefined
      ? await findContactsBy(db, workspaceId, 'id', use.call?.contactId ?? 0)
      : await findContactsBy(
          db,
          workspaceId,
          'phone_number',
          await normalizePhone({ db }, workspaceId, given),
        )
  if (contact === undefined) throw fieldError('phone_number', 'not_found.contact')
  return contact
}

/** @throws {ApiError} validation_failed if it isn't a phone number */
export async function normalizePhone(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  given: string,
): Promise<string> {
  const parsed = parsePhone(given, await findWorkspaceCountry(db, workspaceId))
  if (!parsed.ok) throw new ApiError('validation_failed', { details: [parsed.issue] })
  return parsed.phoneNumber
}

/** Returns an argument as text that PostgreSQL can store, or undefined if it's missing or blank. */
export function textArgument(use: ToolUse, name: string): string | undefined {
  const value = use.args[name]
  if (typeof value !== 'string') return undefined
  return value.replaceAll('\u0000', '').toWellFormed().trim() || undefined
}
