import type pg from 'pg'
import { hashToken } from '../../backend/platform/secrets/tokens.ts'
import { openBarePool } from './bare-pool.ts'
import { repeat, serve } from './serve.ts'

/**
 * Sends the statements of `POST /contacts/` from a bare client. Each transaction is for one request with a new number. There's
 * no HTTP, no validation, and no look-up of the number's time zones.
 */
const { BENCH_API_KEY = '', BENCH_FIRST_NUMBER } = process.env
const campaignId = Number(process.env.BENCH_CAMPAIGN_ID)
const workspaceId = Number(process.env.BENCH_WORKSPACE_ID)
const pool = await openBarePool()
const tokenHash = hashToken(BENCH_API_KEY)
let lastNumber = Number(BENCH_FIRST_NUMBER)

const statements = {
  credential:
    'select token_hash, workspace_id, expires_at from credential where token_hash = any($1::bytea[])',
  contact: 'select contact_id, is_busy, is_listed from lock_contacts($1, $2, $3, false)',
  campaign: `
    select campaign.id, campaign.status, campaign.time_zone, campaign.calling_hours, phone_number.phone_number
    from campaign join phone_number on phone_number.id = campaign.phone_number_id
    where campaign.workspace_id = $1 and campaign.id = any($2::bigint[])
    order by campaign.id
    for key share of campaign skip locked`,
  upsert: `
    select contact_id, created
    from upsert_contacts($1, $2, array(select changed from json_populate_recordset(null::contact_values, $3) as changed))`,
  queue: `
    select call_id, queued, contact.*, campaign.name, agent.name
    from queue_calls($1, $2, array(select request from json_populate_recordset(null::call_request, $3) as request))
    join json_to_recordset($3) as call (item int, contact_id bigint, campaign_id bigint) using (item)
    join contact on contact.id = call.contact_id
    join campaign on campaign.id = call.campaign_id
    join agent on agent.id = campaign.agent_id`,
}

async function addContact(): Promise<undefined> {
  lastNumber += 1
  const number = `+${lastNumber}`
  const at = new Date()
  const actor = { kind: 'api_key', id: 1 }
  const client = await pool.connect()
  const run = async <Row extends pg.QueryResultRow>(name: keyof typeof statements, values: unknown[]) => {
    const [row] = (await client.query<Row>({ name, text: statements[name], values })).rows
    if (row === undefined) throw new Error(`the statement ${name} found nothing`)
    return row
  }
  try {
    await client.query('begin')
    await run('credential', [[tokenHash]])
    await run('contact', [workspaceId, [number], [false]])
    await run('campaign', [workspaceId, [campaignId]])
    const changed = [{ phone_number: number, changes: { first_name: 'Maya' }, changed_by: actor }]
    const contact = await run<{ contact_id: number }>('upsert', [workspaceId, at, JSON.stringify(changed)])
    const request = {
      item: 0,
      contact_id: contact.contact_id,
      campaign_id: campaignId,
      test: false,
      if_open: 'skip',
      due_at: at,
      next_attempt_at: at,
      metadata: {},
      origin: actor,
      zones: { time_zones: ['America/New_York'], time_zone_source: 'number' },
    }
    await run('queue', [workspaceId, at, JSON.stringify([request])])
    await client.query('commit')
  } finally {
    client.release()
  }
}

serve({
  work: (seconds, width) => repeat(seconds, width, addContact),
  stop: () => pool.end(),
})
