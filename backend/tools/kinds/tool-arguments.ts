import { findWorkspaceCountry } from '../../accounts/identity/workspaces.ts'
import type { Deps } from '../../deps.ts'
import { ApiError, fieldError } from '../../platform/core/errors.ts'
import { parsePhone } from '../../platform/core/phone.ts'
import { type ContactDetails, findContactsBy } from '../../queue/contacts/find-contacts.ts'
import type { LiveChat, ToolConversation, ToolDefinition, ToolUse } from './tool-kind.ts'

/** The argument that selects the contact in a session outside of conversations. */
export const phoneNumberArgument = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'Phone number of the contact.',
} as const

/**
 * Returns a definition without the arguments that select a contact, for sessions in a call or chat. The JSON Schema then
 * rejects them, because it allows no unknown arguments.
 */
export function withoutArguments(
  definition: ToolDefinition,
  names: readonly string[],
  description = definition.description,
): ToolDefinition {
  const { properties, ...schema } = definition.inputSchema
  const remaining = Object.entries(properties ?? {}).filter(([name]) => !names.includes(name))
  return {
    ...definition,
    description,
    inputSchema: { ...schema, properties: Object.fromEntries(remaining) },
  }
}

/** Returns the contact of a call or chat: null if a chat has none, undefined outside of conversations. */
export function getOwnContact({ call, chat }: ToolConversation): LiveChat['contact'] | undefined {
  if (call !== undefined) return { id: call.contactId, phoneNumber: call.phoneNumber }
  return chat?.contact
}

/**
 * Returns the contact that a tool changes: the one of the conversation or, outside of conversations, the one with the
 * phone number in the arguments. Returns null if the chat has sample values instead of a contact.
 *
 * @throws {ApiError} not_found, validation_failed; the message is for the agent
 */
export async function resolveContact({ db }: Pick<Deps, 'db'>, use: ToolUse): Promise<ContactDetails | null> {
  const { workspaceId } = use.row
  const own = getOwnContact(use)
  if (own === null) return null
  const [contact] =
    own === undefined
      ? await findContactsBy(db, workspaceId, 'phone_number', await requirePhoneNumber({ db }, use))
      : await findContactsBy(db, workspaceId, 'id', own.id)
  if (contact === undefined) throw fieldError('phone_number', 'not_found.contact')
  return contact
}

async function requirePhoneNumber(deps: Pick<Deps, 'db'>, use: ToolUse): Promise<string> {
  const given = textArgument(use, 'phone_number')
  if (given === undefined) throw fieldError('phone_number', 'required.contact')
  return normalizePhone(deps, use.row.workspaceId, given)
}

/** @throws {ApiError} validation_failed if `given` isn't a phone number */
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
