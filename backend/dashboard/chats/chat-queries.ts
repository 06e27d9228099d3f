import { parsePhone } from '../../platform/core/phone.ts'
import type { Db } from '../../platform/db/schema.ts'
import { findContactsBy } from '../../queue/contacts/find-contacts.ts'

/** Maximum number of contacts that the form for a new chat suggests. */
const maxSuggested = 20

export type SuggestedContact = Awaited<ReturnType<typeof selectNewestContacts>>[number]

export const selectNewestContacts = (db: Db, workspaceId: number) =>
  db
    .selectFrom('contact')
    .select(['id', 'phone_number', 'first_name', 'last_name'])
    .where('workspace_id', '=', workspaceId)
    .where('erased_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(maxSuggested)
    .execute()

const idPattern = /^#?(\d{1,15})$/

/** Finds a contact by what a member typed: its phone number, email, external ID, or ID. */
export async function findTypedContact(
  db: Db,
  workspace: { id: number; country: string },
  typed: string,
): Promise<{ id: number } | undefined> {
  const phone = parsePhone(typed, workspace.country)
  const [, id] = idPattern.exec(typed) ?? []
  const lookups = [
    ...(phone.ok ? [['phone_number', phone.phoneNumber] as const] : []),
    ...(typed.includes('@') ? [['email', typed] as const] : []),
    ...(id === undefined ? [] : [['id', Number(id)] as const]),
    ['external_id', typed] as const,
  ]
  for (const [field, value] of lookups) {
    const [contact] = await findContactsBy(db, workspace.id, field, value)
    if (contact !== undefined) return contact
  }
  return undefined
}

/** Returns the names of users, by user ID. */
export async function selectUserNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const users = await db.selectFrom('app_user').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(users.map(({ id, name }) => [id, name]))
}

export type Receiver = Awaited<ReturnType<typeof selectReceivers>>[number]

/** Maximum number of receivers to choose from for a test event. */
const maxReceivers = 50

export const selectReceivers = (db: Db, workspaceId: number) =>
  db
    .selectFrom('webhook_subscription')
    .select(['id', 'target_url'])
    .where('workspace_id', '=', workspaceId)
    .where('ended_at', 'is', null)
    .where('disabled_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(maxReceivers)
    .execute()
