import type { Db } from '../../platform/db/schema.ts'

/** Returns the latest changes of a contact, newest first. The values are missing once the contact is erased. */
export const findChanges = (db: Db, workspaceId: number, contactId: number, limit: number) =>
  db
    .selectFrom('contact_change')
    .leftJoin('contact_change_values', 'contact_change_values.change_id', 'contact_change.id')
    .select(['id', 'kind', 'fields', 'actor', 'at', 'old_values', 'new_values'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_change.contact_id', '=', contactId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export type ContactChange = Awaited<ReturnType<typeof findChanges>>[number]
