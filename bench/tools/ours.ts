import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { createUser } from '../../backend/accounts/identity/users.ts'
import { createApp } from '../../backend/app.ts'
import { parseConfig } from '../../backend/config.ts'
import type { Deps } from '../../backend/deps.ts'
import { openDeps } from '../../backend/open-deps.ts'
import { createAgent } from '../../backend/queue/agents/agents.ts'
import { createToolServer } from '../../backend/tools/mcp/tool-server.ts'
import { createWorkspace } from '../../backend/tools/onboarding/onboarding.ts'
import { kinds, orderStatus } from './kinds.ts'
import { report } from './report.ts'

// Runs Outdial's tool server as the service does: on the same port as the API, with the database, authentication, keep-alive, and
// validation.
const dataDir = process.argv[2]
const config = parseConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'info' })
const log = pino({ level: 'info' }, { write: () => {} })
const { deps, close } = await openDeps({ config, log, purpose: 'service' })
const widgets = await seed(deps)
const app = await createApp(deps, createToolServer(deps, { kinds }))
await app.listen({ host: '127.0.0.1', port: 0 })

process.once('disconnect', () => {
  void (async () => {
    await app.close()
    await close()
    if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true })
    process.exit(0)
  })()
})
report({
  port: (app.server.address() as AddressInfo).port,
  queries: widgets.map((id) => `/api/mcp/sse?widget_id=${id}&token=${deps.runtimeSecrets()[0] ?? ''}`),
})

/** Creates three agents, because one agent can't have 5,000 sessions at a time. */
async function seed(opened: Deps): Promise<string[]> {
  const user = await createUser(opened, {
    email: 'bench@example.com',
    name: 'Bench',
    password: 'not used at all',
  })
  const workspaceInput = {
    name: 'Bench',
    country: 'US',
    timeZone: 'America/New_York',
    ownerId: user.id,
  } as const
  const { id: workspaceId } = await createWorkspace(opened, workspaceInput)
  const { name, description, inputSchema } = orderStatus
  await opened.db
    .insertInto('mcp_tool')
    .values({
      ...{ workspace_id: workspaceId, kind: 'http' as const, name, description },
      input_schema: JSON.stringify(inputSchema),
    })
    .execute()
  // Also selects the built-in tools, which every workspace has.
  const tools = await opened.db
    .selectFrom('mcp_tool')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .execute()
  const widgetIds: string[] = []
  for (const agentName of ['Ava', 'Ben', 'Cleo']) {
    const agent = await createAgent(opened, workspaceId, {
      name: agentName,
      status: 'live',
      greeting: 'Hi',
      variables: [],
    })
    const rows = tools.map(({ id }) => ({ workspace_id: workspaceId, agent_id: agent.id, tool_id: id }))
    await opened.db.insertInto('widget_tool').values(rows).execute()
    widgetIds.push(agent.widget_id)
  }
  return widgetIds
}
