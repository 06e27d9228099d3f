import { type ContactDetails, findContactsBy } from '../../contacts/find-contacts.ts'
import { notFound } from '../../core/errors.ts'
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
 * @throws {ApiError} not_found; the message is for the agent
 */
export async function resolveContact({ db }: Pick<Deps, 'db'>, use: ToolUse): Promise<ContactDetails> {
  const { workspaceId } = use.row
  const given = textArgument(use, 'phone_number')
  if (given === undefined && use.call === undefined) {
    throw notFound("This session isn't for a call. Pass the contact's phone_number.")
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
  if (contact === undefined)
    throw notFound('No contact found with this phone number. Ask for another number.')
  return contact
}

/** @throws {ApiError} not_found if it isn't a phone number */
export async function normalizePhone(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  given: string,
): Promise<string> {
  const parsed = parsePhone(given, await findWorkspaceCountry(db, workspaceId))
  if (!parsed.ok) throw notFound(parsed.message)
  return parsed.phoneNumber
}

/** Returns an argument as text that PostgreSQL can store, or undefined if it's missing or blank. */
export function textArgument(use: ToolUse, name: string): string | undefined {
  const value = use.args[name]
  if (typeof value !== 'string') return undefined
  return value.replaceAll('\u0000', '').toWellFormed().trim() || undefined
}
