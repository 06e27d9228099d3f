import type { CallingHours } from '@outdial/contract'
import type { Db } from '../../platform/db/schema.ts'

/**
 * Inserts a workspace. Returns undefined if the form with this ID already created one. Call `setWebhookSecret` in the
 * same transaction: a secret is sealed with its row's ID, which is known only after the insert.
 */
export const insertWorkspace = (
  db: Db,
  values: { name: string; country: string; timeZone: string; formId: string | null },
) =>
  db
    .insertInto('workspace')
    .values({
      name: values.name,
      country: values.country,
      time_zone: values.timeZone,
      webhook_secret: '',
      form_id: values.formId,
    })
    .onConflict((conflict) => conflict.column('form_id').doNothing())
    .returning('id')
    .executeTakeFirst()

export const setWebhookSecret = (db: Db, workspaceId: number, sealedSecret: string) =>
  db.updateTable('workspace').set({ webhook_secret: sealedSecret }).where('id', '=', workspaceId).execute()

export const findWorkspaceByForm = (db: Db, formId: string | null) =>
  db.selectFrom('workspace').select('id').where('form_id', '=', formId).executeTakeFirstOrThrow()

export const findAnyWorkspace = (db: Db) =>
  db.selectFrom('workspace').select('id').limit(1).executeTakeFirst()

export const updateWorkspace = (
  db: Db,
  workspaceId: number,
  settings: {
    name: string
    country: string
    time_zone: string
    calling_hours: CallingHours
  },
) =>
  db
    .updateTable('workspace')
    .set({ ...settings, calling_hours: JSON.stringify(settings.calling_hours) })
    .where('id', '=', workspaceId)
    .execute()

export const selectWorkspaceCountry = async (db: Db, workspaceId: number): Promise<string> => {
  const { country } = await db
    .selectFrom('workspace')
    .select('country')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return country
}

export const selectWorkspaceTimeZone = async (db: Db, workspaceId: number): Promise<string> => {
  const { time_zone: timeZone } = await db
    .selectFrom('workspace')
    .select('time_zone')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return timeZone
}

export const updateCallsSpecialNumbers = async (
  db: Db,
  workspaceId: number,
  callsThem: boolean,
): Promise<void> => {
  await db
    .updateTable('workspace')
    .set({ calls_special_numbers: callsThem })
    .where('id', '=', workspaceId)
    .execute()
}

export const selectCallsSpecialNumbers = async (db: Db, workspaceId: number): Promise<boolean> => {
  const { calls_special_numbers: callsThem } = await db
    .selectFrom('workspace')
    .select('calls_special_numbers')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return callsThem
}
