import { findCallsSpecialNumbers } from '../../accounts/identity/workspaces.ts'
import { isSpecialNumber } from '../../platform/core/phone.ts'
import type { Db } from '../../platform/db/schema.ts'

/**
 * Returns those of the E.164 numbers that the workspace doesn't call because of their type. Some types, such as premium-rate
 * numbers, cost a lot of money, and anyone can enter such a number in a public form. Numbers are checked when a call is queued
 * and again before it's dialed. The numbers of test calls aren't checked.
 */
export async function findNumbersNotAllowed(
  db: Db,
  workspaceId: number,
  phoneNumbers: readonly string[],
): Promise<ReadonlySet<string>> {
  const special = phoneNumbers.filter(isSpecialNumber)
  if (special.length === 0 || (await findCallsSpecialNumbers(db, workspaceId))) return new Set()
  return new Set(special)
}
