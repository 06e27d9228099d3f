import type { PhoneNumber, SearchQuery } from '@outdial/contract'
import { prepared } from '../../platform/db/connect.ts'
import { nameContains } from '../../platform/db/name-search.ts'
import type { Db } from '../../platform/db/schema.ts'

/**
 * Selects active numbers, sorted by ID. Returns one row more than `limit` if there are more. `search` matches the label
 * and the number.
 */
export function selectActivePhoneNumbers(
  db: Db,
  workspaceId: number,
  query: SearchQuery,
): Promise<PhoneNumber[]> {
  const { search } = query
  return db
    .selectFrom('phone_number')
    .select(['id', 'phone_number', 'label', 'country'])
    .modifyFront(prepared)
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'active')
    .$if(search !== undefined, (numbers) =>
      numbers.where((eb) =>
        eb.or([nameContains('label', search ?? ''), nameContains('phone_number', search ?? '')]),
      ),
    )
    .orderBy('id')
    .limit(query.limit + 1)
    .offset(query.offset)
    .execute()
}

/** Returns undefined if the workspace already has the number, active or retired. */
export const insertPhoneNumber = (
  db: Db,
  workspaceId: number,
  values: { phoneNumber: string; label: string; country: string },
): Promise<{ id: number } | undefined> =>
  db
    .insertInto('phone_number')
    .values({
      workspace_id: workspaceId,
      phone_number: values.phoneNumber,
      label: values.label,
      country: values.country,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'phone_number']).doNothing())
    .returning('id')
    .executeTakeFirst()

/** Returns false if the workspace has no such number. */
export async function updatePhoneNumberStatus(
  db: Db,
  workspaceId: number,
  phoneNumberId: number,
  status: 'active' | 'retired',
): Promise<boolean> {
  const row = await db
    .updateTable('phone_number')
    .set({ status })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', phoneNumberId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
