import { findWorkspaceCountry } from '../../accounts/identity/workspaces.ts'
import { ApiError, notFound } from '../../platform/core/errors.ts'
import { isInternational, parsePhone, parsePhones } from '../../platform/core/phone.ts'
import { lockContactWithNumber } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'

/** A phone number as a person or an app wrote it. A national number without `country` is in the workspace's country. */
interface WrittenNumber {
  phoneNumber: string
  country?: string | null
}

/** A contact, or a phone number. */
export type NumberRef = { contactId: number } | WrittenNumber

/**
 * Returns the number in E.164.
 *
 * @throws {ApiError} validation_failed
 */
export async function normalizeNumber(
  db: Db,
  workspaceId: number,
  { phoneNumber, country }: WrittenNumber,
): Promise<string> {
  const parsed = parsePhone(phoneNumber, country ?? (await findDefaultCountry(db, workspaceId, phoneNumber)))
  if (!parsed.ok) throw new ApiError('validation_failed', { details: [parsed.issue] })
  return parsed.phoneNumber
}

/**
 * Returns all numbers in a text, in E.164, each once. Opt-outs use it: an opt-out must not fail because of how its text is
 * written.
 *
 * @throws {ApiError} validation_failed if the text contains no number
 */
export async function normalizeNumbers(
  db: Db,
  workspaceId: number,
  { phoneNumber, country }: WrittenNumber,
): Promise<[string, ...string[]]> {
  const parsed = parsePhones(phoneNumber, country ?? (await findWorkspaceCountry(db, workspaceId)))
  if (!parsed.ok) throw new ApiError('validation_failed', { details: [parsed.issue] })
  return parsed.phoneNumbers
}

/** Returns the workspace's country. An international number is read the same with any country, so the query is skipped. */
const findDefaultCountry = async (db: Db, workspaceId: number, phoneNumber: string): Promise<string> =>
  isInternational(phoneNumber) ? 'US' : findWorkspaceCountry(db, workspaceId)

/**
 * Returns the number in E.164. If a contact is given, locks it and its number, so call it in a transaction.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export async function resolveNumber(db: Db, workspaceId: number, number: NumberRef): Promise<string> {
  if (!('contactId' in number)) return normalizeNumber(db, workspaceId, number)
  return lockNumberOfContact(db, workspaceId, number.contactId)
}

/** Returns all numbers in a text in E.164, or the number of a contact, which is locked as in `resolveNumber`. */
export async function resolveNumbers(
  db: Db,
  workspaceId: number,
  numbers: NumberRef,
): Promise<[string, ...string[]]> {
  if (!('contactId' in numbers)) return normalizeNumbers(db, workspaceId, numbers)
  return [await lockNumberOfContact(db, workspaceId, numbers.contactId)]
}

async function lockNumberOfContact(db: Db, workspaceId: number, contactId: number): Promise<string> {
  const contact = await lockContactWithNumber(db, workspaceId, contactId)
  if (contact === undefined) throw notFound('contact')
  return contact.phoneNumber
}
