import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { addHttpTool } from '../../tools/save-http-tool.ts'
import { getTool } from '../../tools/tool-catalog.ts'
import { revealOriginSecret } from '../../webhooks/signing-secrets.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useTestDatabase } from '../support/world.ts'

const url = 'https://example.com/hook'

const database = useTestDatabase()

const addTool = async (deps: ReturnType<typeof testDeps>, workspaceId: number) =>
  addHttpTool(deps, workspaceId, {
    name: 'weather',
    description: 'Says the weather.',
    inputSchema: { type: 'object' },
    method: 'GET',
    url: 'https://example.com/',
    headers: { 'X-Key': '{{secret.KEY}}' },
    secrets: { KEY: 'key-of-the-weather' },
  })

it("doesn't decrypt a secret that was copied to another row of the database", async () => {
  const deps = testDeps(database.db)
  const victim = await seedWorkspace(deps)
  const thief = await seedWorkspace(deps)
  const tool = await addTool(deps, victim.workspaceId)
  const copy = await addTool(deps, thief.workspaceId)
  await sql`update mcp_tool set secrets = (select secrets from mcp_tool where id = ${tool.id})
    where id = ${copy.id}`.execute(database.db)
  await sql`update workspace set webhook_secret =
    (select webhook_secret from workspace where id = ${victim.workspaceId})
    where id = ${thief.workspaceId}`.execute(database.db)

  await expect(getTool(deps, thief.workspaceId, copy.id)).rejects.toThrow('decrypts this secret here')
  await expect(revealOriginSecret(deps, thief.workspaceId, url)).rejects.toThrow('decrypts this secret here')
  expect((await getTool(deps, victim.workspaceId, tool.id)).secretNames).toEqual(['KEY'])
})
