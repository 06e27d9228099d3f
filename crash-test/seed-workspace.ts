import pino from 'pino'
import { createApiKey } from '../backend/accounts/identity/api-keys.ts'
import { addMember } from '../backend/accounts/identity/members.ts'
import { createUser } from '../backend/accounts/identity/users.ts'
import { parseConfig } from '../backend/config.ts'
import { openDeps } from '../backend/open-deps.ts'
import { createAgent } from '../backend/queue/agents/agents.ts'
import { addPhoneNumber } from '../backend/queue/phone-numbers/phone-numbers.ts'
import { switchOffRules } from '../backend/queue/rules/call-rules.ts'
import { createWorkspace } from '../backend/tools/onboarding/onboarding.ts'

export const password = 'correct horse battery'

export interface Workspace {
  id: number
  email: string
  apiKey: string
  agentId: number
  phoneNumberId: number
}

/** Creates a workspace for one round without the API, which can't create agents, phone numbers, and API keys. */
export async function seedWorkspace(
  environment: Record<string, string>,
  databaseUrl: string,
  name: string,
): Promise<Workspace> {
  const log = pino({ level: 'silent' })
  const config = parseConfig({ ...environment, DATABASE_URL: databaseUrl })
  const { deps, close } = await openDeps({ config, log, purpose: 'command' })
  try {
    const email = `${name}@example.com`
    const { id: userId } = await createUser(deps, { email, name: 'Crash Test', password })
    const { id } = await createWorkspace(deps, {
      name,
      country: 'US',
      timeZone: 'America/New_York',
      ownerId: userId,
    })
    await addMember(deps, id, userId, 'owner')
    // Turns off the rules, so that calls can be placed at any hour and as often as the load requires.
    await switchOffRules(deps, id, { kind: 'member', id: userId })
    const agent = await createAgent(deps, id, { name: 'Ava', status: 'live', greeting: 'Hi', variables: [] })
    const number = await addPhoneNumber(deps, id, { phone_number: '+12025550190', label: 'Sales' })
    const { key } = await createApiKey(deps, id, userId, 'Crash test')
    return { id, email, apiKey: key, agentId: agent.id, phoneNumberId: number.id }
  } finally {
    await close()
  }
}
