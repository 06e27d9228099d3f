import type { Db } from '../../platform/db/schema.ts'

const apiKeysQuery = (db: Db, workspaceId: number) =>
  db
    .selectFrom('api_key as key')
    .innerJoin('app_user as creator', 'creator.id', 'key.user_id')
    .select(['key.id', 'key.name', 'key.prefix', 'key.created_at', 'key.last_used_at', 'key.revoked_at'])
    .select(['key.user_id', 'creator.name as creator_name'])
    .select((eb) =>
      eb
        .selectFrom('webhook_subscription as subscription')
        .whereRef('subscription.api_key_id', '=', 'key.id')
        .select((count) => count.fn.countAll<number>().as('subscription_count'))
        .$asScalar()
        .$notNull()
        .as('subscription_count'),
    )
    .where('key.workspace_id', '=', workspaceId)

/** An API key with its creator and number of subscriptions. */
export type ApiKey = Awaited<ReturnType<typeof selectApiKeys>>[number]

/** Returns API keys with creator and subscription count: active ones first, newest first within each group. */
export const selectApiKeys = (db: Db, workspaceId: number) =>
  apiKeysQuery(db, workspaceId)
    .orderBy((eb) => eb('key.revoked_at', 'is not', null))
    .orderBy('key.id', 'desc')
    .limit(200)
    .execute()

export const findApiKey = (db: Db, workspaceId: number, id: number) =>
  apiKeysQuery(db, workspaceId).where('key.id', '=', id).executeTakeFirst()
