import { sql } from 'kysely'
import { toErasedCall, toErasedContact } from '../db/erased-contact.ts'
import type { ContactEraser } from '../db/erasure.ts'
import type { Db } from '../db/schema.ts'
import { readContactAdded } from './idempotency.ts'

/** Erases the contact from the responses that are stored for requests with an idempotency key. */
export const eraseContactFromResponses: ContactEraser = async (db, { workspaceId, contactId }) => {
  const responses = await db
    .selectFrom('idempotent_response')
    .select(['scope_hash', 'body'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<string>`body -> 'contact' ->> 'id'`, '=', String(contactId))
    .execute()
  for (const { scope_hash: scopeHash, body } of responses) {
    await db
      .updateTable('idempotent_response')
      .set({ body: JSON.stringify(toErasedResponse(body)) })
      .where('workspace_id', '=', workspaceId)
      .where('scope_hash', '=', scopeHash)
      .execute()
  }
}

function toErasedResponse(body: unknown): unknown {
  const response = readContactAdded(body)
  return {
    ...response,
    contact: toErasedContact(response.contact),
    call: toErasedCall(response.call),
    // The names of variables can be personal data.
    warnings: [],
  }
}

/**
 * Maximum number of responses per statement. Every `POST` with an idempotency key stores one, so one statement for all
 * could take too long.
 */
const batchSize = 5_000

export async function deleteExpiredResponses(db: Db, now: Date): Promise<void> {
  for (;;) {
    const { numDeletedRows } = await db
      .deleteFrom('idempotent_response')
      // Checks the expiration again, because a request with the same key may have stored a new response since the subquery.
      .where('expires_at', '<', now)
      .where((builder) =>
        builder(
          builder.refTuple('workspace_id', 'scope_hash'),
          'in',
          builder
            .selectFrom('idempotent_response')
            .select(['workspace_id', 'scope_hash'])
            .where('expires_at', '<', now)
            .orderBy('expires_at')
            .limit(batchSize)
            .$asTuple('workspace_id', 'scope_hash'),
        ),
      )
      .executeTakeFirstOrThrow()
    if (numDeletedRows < batchSize) return
  }
}
