import type { CallingHours } from '@outdial/contract'
import { createAgent } from '../agents/create.ts'
import type { CreatedAgent } from '../agents/agent-store.ts'
import { createCampaign } from '../campaigns/campaigns.ts'
import type { Deps } from '../deps.ts'
import { createApiKey } from '../identity/api-keys.ts'
import { createUser } from '../identity/create-user.ts'
import { createWorkspace } from '../onboarding/create-workspace.ts'
import { createOauthClient } from '../oauth/create-oauth-client.ts'
import { addPhoneNumber } from '../phone-numbers/phone-numbers.ts'
import { randomToken } from '../secrets/secret-box.ts'
import type { DemoFile } from './demo-file.ts'
import { seedDemoTools } from './seed-tools.ts'

/** Whoever tries it on a Saturday night sees a call at once. */
const aroundTheClock: CallingHours = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  start: '00:00',
  end: '24:00',
}

/** What `zapier-platform invoke auth start` listens on. */
const redirectUri = 'http://localhost:9000'

/** A workspace in which a call can be queued at once. Call it inside a transaction. */
export async function seedDemo(deps: Deps): Promise<Omit<DemoFile, 'base_url' | 'runtime_secret'>> {
  const email = 'demo@example.com'
  const password = randomToken(12)
  const user = await createUser(deps)({ email, name: 'Demo', password })
  const workspace = await createWorkspace(deps)({
    name: 'Demo',
    country: 'US',
    timeZone: 'America/New_York',
    ownerId: user.id,
  })
  const owner = { workspaceId: workspace.id, userId: user.id }
  const agents = await seedAgents(deps, workspace.id)
  const [ava, ben] = agents
  await seedDemoTools(deps, workspace.id, { ava, ben })
  const number = await addPhoneNumber(deps)(workspace.id, { phoneNumber: '+12025550190', label: 'Sales' })
  await addPhoneNumber(deps)(workspace.id, { phoneNumber: '+12025550191', label: 'Support' })
  const { key, id: apiKeyId } = await createApiKey(deps)({ ...owner, name: 'Demo' })
  const client = await createOauthClient(deps)({
    name: 'Zapier (demo)',
    redirectUris: [redirectUri],
    confidential: true,
  })
  const caller = { ...owner, apiKeyId, clientId: null, scopes: [] }
  const campaign = await createCampaign(deps)(caller, {
    name: 'Demo: new leads',
    agent_id: ava.id,
    phone_number_id: number.id,
    calling_hours: aroundTheClock,
    retry: { max_attempts: 3, delay_minutes: 1, on: ['no_answer', 'busy'] },
  })
  return {
    workspace_id: workspace.id,
    email,
    password,
    api_key: key,
    client_id: client.clientId,
    client_secret: client.clientSecret ?? '',
    agents,
    campaign_id: campaign.id,
    phone_number_id: number.id,
  }
}

async function seedAgents(
  deps: Deps,
  workspaceId: number,
): Promise<[CreatedAgent, CreatedAgent, CreatedAgent]> {
  const create = createAgent(deps)
  const variables = ['product', 'company']
  const ava = await create(workspaceId, {
    name: 'Ava',
    status: 'live',
    greeting: 'Hi {{first_name}}, this is Ava. You asked about {{product}}: do you have a minute?',
    variables,
  })
  const ben = await create(workspaceId, {
    name: 'Ben',
    status: 'live',
    greeting: 'Hello {{first_name}}, Ben here, about your appointment.',
    variables: ['appointment'],
  })
  const cleo = await create(workspaceId, {
    name: 'Cleo',
    status: 'draft',
    greeting: 'Hi {{first_name}}, Cleo speaking.',
    variables: [],
  })
  return [ava, ben, cleo]
}
