import { hashToken } from '../../backend/platform/secrets/tokens.ts'
import type { World } from '../world.ts'

/** A workspace, and a campaign in it to which contacts are added. */
export interface Target {
  workspace_id: number
  api_key: string
  campaign_id: number
}

/** Creates workspaces like the demo workspace, each with an agent, a number, a campaign, and an API key. */
export async function createWorkspaces({ owner: db, demo }: World, count: number): Promise<Target[]> {
  const like = await db
    .selectFrom('campaign')
    .innerJoin('workspace', 'workspace.id', 'campaign.workspace_id')
    .select(['campaign.calling_hours', 'campaign.retry', 'campaign.time_zone', 'webhook_secret', 'country'])
    .where('campaign.id', '=', demo.campaign_id)
    .executeTakeFirstOrThrow()
  const { user_id: userId } = await db
    .selectFrom('membership')
    .select('user_id')
    .where('workspace_id', '=', demo.workspace_id)
    .limit(1)
    .executeTakeFirstOrThrow()
  const { time_zone, country, webhook_secret } = like
  const targets: Target[] = []
  for (let number = 1; number <= count; number += 1) {
    const name = `Benchmark ${number}`
    const workspace = await db
      .insertInto('workspace')
      .values({ name, country, time_zone, webhook_secret })
      .returning('id')
      .executeTakeFirstOrThrow()
    const of = { workspace_id: workspace.id }
    const agent = await db
      .insertInto('agent')
      .values({ ...of, name, status: 'live', variables: [] })
      .returning('id')
      .executeTakeFirstOrThrow()
    const phoneNumber = await db
      .insertInto('phone_number')
      .values({ ...of, phone_number: `+1202556${String(number).padStart(4, '0')}`, label: name, country })
      .returning('id')
      .executeTakeFirstOrThrow()
    const campaign = await db
      .insertInto('campaign')
      .values({
        ...of,
        name,
        agent_id: agent.id,
        phone_number_id: phoneNumber.id,
        time_zone,
        calling_hours: JSON.stringify(like.calling_hours),
        max_concurrent_calls: 5,
        retry: JSON.stringify(like.retry),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const apiKey = `bench-${number}`
    const key = await db
      .insertInto('api_key')
      .values({ ...of, user_id: userId, name, prefix: apiKey })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('credential')
      .values({
        ...of,
        token_hash: hashToken(apiKey),
        user_id: userId,
        api_key_id: key.id,
        scopes: ['contacts:write'],
      })
      .execute()
    targets.push({ ...of, api_key: apiKey, campaign_id: campaign.id })
  }
  return targets
}
