import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { afterEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pino from 'pino'
import { createSecretBox } from '../../secrets/secret-box.ts'
import { checkSecretKeys } from '../../secrets/secret-keys.ts'
import { addHttpTool } from '../../tools/save-http-tool.ts'
import { getTool } from '../../tools/tool-catalog.ts'
import { revealOriginSecret, rotateWorkspaceSecret } from '../../webhooks/signing-secrets.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useTestDatabase } from '../support/world.ts'

const key = 'test-key-of-at-least-thirty-two-characters'
const url = 'https://example.com/hook'

const database = useTestDatabase()

afterEach(() => database.db.deleteFrom('server_secret').execute())

/** Starts the service's check of its keys. Returns what it logged. */
async function checkKeys(keys = [key]): Promise<string[]> {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
  await checkSecretKeys(database.db, keys, createSecretBox(keys), log)
  return lines
}

/** Seals as the first version did: without naming the row. */
function sealUnbound(plain: string, secretKey = key): string {
  const iv = randomBytes(12)
  const hashed = createHash('sha256').update(secretKey).digest()
  const cipher = createCipheriv('aes-256-gcm', hashed, iv)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
}

const useFirstVersion = (check = sealUnbound('Outdial')) =>
  database.db.insertInto('server_secret').values({ name: 'secret-key-check', value: check }).execute()

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

it("doesn't open a sealed value that was copied to another row", async () => {
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

it('seals the values of the first version again for their rows, also when several processes start', async () => {
  const deps = testDeps(database.db)
  const seeds = [await seedWorkspace(deps), await seedWorkspace(deps)] as const
  const tool = await addTool(deps, seeds[0].workspaceId)
  const toolSecrets = sealUnbound(JSON.stringify({ KEY: 'key-of-the-first-version' }))
  await sql`update mcp_tool set secrets = ${toolSecrets} where id = ${tool.id}`.execute(database.db)
  await sql`update workspace set webhook_secret = ${sealUnbound('whsec_AAAA')},
    previous_webhook_secret = ${sealUnbound('whsec_BBBB')}
    where id = ${seeds[0].workspaceId}`.execute(database.db)
  await useFirstVersion()

  expect(await Promise.all([checkKeys(), checkKeys(), checkKeys()])).toEqual([[], [], []])

  const { rows } = await sql<{ sealed: string }>`
    select webhook_secret as sealed from workspace union all
    select previous_webhook_secret from workspace where previous_webhook_secret is not null union all
    select secrets from mcp_tool where secrets is not null union all
    select value from server_secret`.execute(database.db)
  expect(rows.filter(({ sealed }) => !sealed.startsWith('v2.'))).toEqual([])
  expect((await getTool(deps, seeds[0].workspaceId, tool.id)).secretNames).toEqual(['KEY'])
  await expect(revealOriginSecret(deps, seeds[0].workspaceId, url)).resolves.toEqual({
    secret: expect.stringMatching(/^whsec_/),
  })
  await rotateWorkspaceSecret(deps, seeds[0].workspaceId)
})

it('opens no value of the first version after the upgrade, also not after another start', async () => {
  const deps = testDeps(database.db)
  const { workspaceId } = await seedWorkspace(deps)
  const old = sealUnbound('whsec_AAAA')
  await useFirstVersion()
  await checkKeys()
  await sql`update workspace set webhook_secret = ${old} where id = ${workspaceId}`.execute(database.db)
  await checkKeys()
  await expect(revealOriginSecret(deps, workspaceId, url)).rejects.toThrow('not a sealed secret')
})

it('leaves a value that no key opens as it is, and logs its row once', async () => {
  const deps = testDeps(database.db)
  const { workspaceId } = await seedWorkspace(deps)
  const lost = sealUnbound('whsec_AAAA', 'a-key-that-was-lost-with-its-only-backup')
  await sql`update workspace set webhook_secret = ${lost} where id = ${workspaceId}`.execute(database.db)
  await useFirstVersion()
  const [line, ...others] = await checkKeys()
  expect(JSON.parse(line ?? '')).toMatchObject({
    column: 'workspace.webhook_secret',
    rows: [String(workspaceId)],
    count: 1,
  })
  expect(others).toEqual([])
  expect(await checkKeys()).toEqual([])
  const { rows } = await sql`select webhook_secret from workspace where id = ${workspaceId}`.execute(
    database.db,
  )
  expect(rows).toEqual([{ webhook_secret: lost }])
})

it("rejects a wrong key before it seals the first version's values again", async () => {
  await useFirstVersion()
  await expect(checkKeys(['another-key-of-at-least-thirty-two-characters'])).rejects.toThrow(
    "SECRET_KEY can't decrypt the secrets in this database",
  )
})
