import { hashToken } from '../../backend/secrets/tokens.ts'
import { openBarePool } from './bare-pool.ts'
import { repeat, serve } from './serve.ts'

/**
 * Sends the final statement of `POST /contacts/` from a bare client: one request for each statement, a new number each
 * time, without HTTP, validation, and the number's time zones.
 */
const { BENCH_API_KEY = '', BENCH_FIRST_NUMBER } = process.env
const campaignId = Number(process.env.BENCH_CAMPAIGN_ID)
const workspaceId = Number(process.env.BENCH_WORKSPACE_ID)
const pool = await openBarePool()
const campaign = await pool.query<{ rules_version: number }>(
  'select rules_version from campaign where id = $1',
  [campaignId],
)
const token_hash = `\\x${hashToken(BENCH_API_KEY).toString('hex')}`
let lastNumber = Number(BENCH_FIRST_NUMBER)

async function addContact(): Promise<undefined> {
  lastNumber += 1
  const at = new Date()
  const request = {
    item: 0,
    token_hash,
    phone_number: `+${lastNumber}`,
    changes: { first_name: 'Maya' },
    changed_by: { kind: 'api_key', id: 1 },
    campaign_id: campaignId,
    rules_version: campaign.rows[0]?.rules_version,
    test: false,
    additional: false,
    due_at: at,
    next_attempt_at: at,
    metadata: {},
    origin: { kind: 'api_key', id: 1 },
    zones: { time_zones: ['America/New_York'], time_zone_source: 'number' },
  }
  const { rows } = await pool.query<{ result: string }>({
    name: 'add',
    text: 'select item, result, body from add_contacts($1, $2, $3, $4, $5)',
    values: [workspaceId, at, JSON.stringify([request]), at, 100],
  })
  if (rows[0]?.result !== 'done') throw new Error(`the contact wasn't added: ${rows[0]?.result}`)
}

serve({
  work: (seconds, width) => repeat(seconds, width, addContact),
  stop: () => pool.end(),
})
