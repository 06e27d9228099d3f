import type { Db } from '../../platform/db/schema.ts'

export type PhoneNumberWithCampaigns = Awaited<ReturnType<typeof selectPhoneNumbersWithCampaignCount>>[number]

/** Returns all phone numbers, active ones first, with a count of the unarchived campaigns that use each of them. */
export const selectPhoneNumbersWithCampaignCount = (db: Db, workspaceId: number) =>
  db
    .selectFrom('phone_number')
    .select(['id', 'phone_number', 'label', 'country', 'status', 'created_at'])
    .select((eb) =>
      eb
        .selectFrom('campaign')
        .whereRef('campaign.phone_number_id', '=', 'phone_number.id')
        .where('campaign.status', '!=', 'archived')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .as('campaigns'),
    )
    .where('workspace_id', '=', workspaceId)
    .orderBy('status')
    .orderBy('label')
    .orderBy('id')
    .execute()
    .then((rows) => rows.map((row) => ({ ...row, campaigns: Number(row.campaigns) })))
