import type { CallingHours } from '@outdial/contract'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createUser } from '../../accounts/identity/users.ts'
import { createOauthClient } from '../../accounts/oauth/create-oauth-client.ts'
import type { Deps } from '../../deps.ts'
import type { ToolKindName } from '../../platform/db/schema.ts'
import { randomToken } from '../../platform/secrets/tokens.ts'
import { createAgent, type CreatedAgent } from '../../queue/agents/agents.ts'
import { createCampaign } from '../../queue/campaigns/campaigns.ts'
import { addPhoneNumber } from '../../queue/phone-numbers/phone-numbers.ts'
import { switchOffRules } from '../../queue/rules/call-rules.ts'
import { assignTool } from '../../tools/assignments.ts'
import type { ToolDeps } from '../../tools/kinds/tool-kind.ts'
import { addDocument } from '../../tools/knowledge/documents.ts'
import { createWorkspace } from '../../tools/onboarding/onboarding.ts'
import { createSpreadsheet } from '../../tools/spreadsheets/spreadsheets.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import { documents } from './demo-documents.ts'
import type { DemoFile } from './demo-file.ts'

/** Calling hours in which calls can start at any time. They're harmless, because the demo's phone numbers belong to nobody. */
const aroundTheClock: CallingHours = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  start: '00:00',
  end: '24:00',
}

/** The redirect URL on which `zapier-platform invoke auth start` listens. */
const redirectUri = 'http://localhost:9000'

/** Creates a workspace that is ready for calls. Call it in a transaction. */
export async function seedDemo(deps: ToolDeps): Promise<Omit<DemoFile, 'base_url' | 'runtime_secret'>> {
  const email = 'demo@example.com'
  const password = randomToken(12)
  const user = await createUser(deps, { email, name: 'Demo', password })
  const workspace = await createWorkspace(deps, {
    name: 'Demo',
    country: 'US',
    timeZone: 'America/New_York',
    ownerId: user.id,
  })
  await switchOffRules(deps, workspace.id, { kind: 'member', id: user.id })
  const owner = { workspaceId: workspace.id, userId: user.id }
  const agents = await seedAgents(deps, workspace.id)
  const [ava, ben] = agents
  await seedDemoTools(deps, workspace.id, { ava, ben })
  const number = await addPhoneNumber(deps, workspace.id, { phone_number: '+12025550190', label: 'Sales' })
  await addPhoneNumber(deps, workspace.id, { phone_number: '+12025550191', label: 'Support' })
  const { key, id: apiKeyId } = await createApiKey(deps, workspace.id, user.id, 'Demo')
  const client = await createOauthClient(deps, {
    name: 'Zapier (demo)',
    redirect_uris: [redirectUri],
    confidential: true,
  })
  const caller = { ...owner, apiKeyId, clientId: null, scopes: [] }
  const campaign = await createCampaign(deps, caller, {
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
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
): Promise<[CreatedAgent, CreatedAgent, CreatedAgent]> {
  const variables = ['product', 'company']
  const ava = await createAgent(deps, workspaceId, {
    name: 'Ava',
    status: 'live',
    greeting: "Hi {{first_name}}, this is Ava. I'm calling about {{topic}}. Do you have a minute?",
    variables,
    instructions:
      "You call people who asked about {{product|a roof inspection}} on our website. Find out whether they still want an offer, how old their roof is, and on which weekday a colleague can call them. If they ask about prices, dates, or the warranty, search the knowledge base, and don't guess. If it isn't a good time, offer to call back.",
    goal: 'The contact agreed to a day on which a colleague calls.',
    results: [
      { name: 'interested', type: 'yes_no', description: 'Whether they want an offer', choices: [] },
      { name: 'roof_age', type: 'number', description: 'How old the roof is, in years', choices: [] },
      {
        name: 'preferred_day',
        type: 'choice',
        description: 'The day they prefer',
        choices: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
      },
    ],
  })
  const ben = await createAgent(deps, workspaceId, {
    name: 'Ben',
    status: 'live',
    greeting: 'Hello {{first_name}}, Ben here, about your appointment.',
    variables: ['appointment'],
    instructions:
      'You remind people of their appointment on {{appointment|the day they chose}}. Ask whether they are coming. If not, ask which day suits them better, and update the contact.',
    goal: 'The contact said whether they are coming.',
    results: [
      { name: 'is_coming', type: 'yes_no', description: 'Whether they come to the appointment', choices: [] },
      { name: 'new_day', type: 'text', description: 'The day they prefer instead', choices: [] },
      { name: 'reason', type: 'text', description: "Why they can't come", choices: [] },
    ],
  })
  const cleo = await createAgent(deps, workspaceId, {
    name: 'Cleo',
    status: 'draft',
    greeting:
      'Hi {{first_name}}, Cleo speaking. We finished your {{product|roof}} last week. Do you have two minutes?',
    variables: ['product'],
    instructions:
      'You ask customers how satisfied they are. Ask how likely they are to recommend us, from zero to ten, and what we could do better. If they have a complaint, say that you will pass it on, and do not argue.',
    goal: 'The contact said how likely they are to recommend us.',
    results: [
      {
        name: 'score',
        type: 'number',
        description: 'How likely they are to recommend us, 0 to 10',
        choices: [],
      },
      { name: 'could_improve', type: 'text', description: 'What we could do better', choices: [] },
      { name: 'has_complaint', type: 'yes_no', description: 'Whether they have a complaint', choices: [] },
    ],
  })
  return [ava, ben, cleo]
}

interface Agents {
  ava: { id: number }
  ben: { id: number }
}

/** Names of spreadsheet columns that the simulated agent fills in. */
const columns = ['name', 'result']

/** Adds documents, and tools and a spreadsheet for each Live agent. */
async function seedDemoTools(deps: ToolDeps, workspaceId: number, { ava, ben }: Agents): Promise<void> {
  for (const document of documents) await addDocument(deps, workspaceId, document)
  const leads = await createSpreadsheet(deps, workspaceId, { name: 'New leads', columns })
  const visits = await createSpreadsheet(deps, workspaceId, { name: 'Appointments', columns })
  const tools = new Map((await listTools(deps, workspaceId)).map(({ kind, id }) => [kind, id]))
  const assign = async (agentId: number, kind: ToolKindName, config: object = {}) => {
    const toolId = tools.get(kind)
    if (toolId === undefined) throw new Error(`invariant: workspace has no tool ${kind}`)
    await assignTool(deps, workspaceId, agentId, toolId, config)
  }

  for (const { id } of [ava, ben]) {
    await assign(id, 'contact_lookup')
    await assign(id, 'schedule_callback')
    await assign(id, 'do_not_call')
  }
  await assign(ava.id, 'knowledge_search')
  await assign(ava.id, 'contact_note')
  await assign(ava.id, 'spreadsheet_append', { spreadsheet_id: leads.id })
  await assign(ben.id, 'contact_update')
  await assign(ben.id, 'spreadsheet_append', { spreadsheet_id: visits.id })
}
