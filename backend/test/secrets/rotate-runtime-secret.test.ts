import { rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Service, startService } from '../../start.ts'
import { testDeps } from '../support/deps.ts'
import { getWidgetId, seedAgent, seedWorkspace } from '../support/factories.ts'
import { useTestFolder } from '../support/folder.ts'
import { openSse } from '../support/mcp.ts'
import { waitUntil } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

// Runs the whole service with a secrets file, as an orchestrator mounts it.
const [old, next] = ['the-old-secret-of-these-tests-0000001', 'the-new-secret-of-these-tests-0000002']
let file: string
let service: Service
let widgetId: string
// This hook must run before the database's hook. Jest runs these hooks in registration order.
afterAll(async () => {
  await service.stop()
})
const database = useTestDatabase()
const folder = useTestFolder()
beforeAll(async () => {
  file = path.join(folder.path, 'secrets')
  await writeFile(file, old)
  const deps = testDeps(database.db)
  const { workspaceId } = await seedWorkspace(deps)
  widgetId = await getWidgetId(deps, await seedAgent(deps, workspaceId))
  service = await startService({
    DATABASE_URL: database.url,
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    RUNTIME_SECRET_FILE: file,
    PORT: '0',
    LOG_LEVEL: 'silent',
  })
})

/** Replaces the file in one step, as a deployment does, so that the service never reads half of the file. */
async function rotateSecrets(text: string): Promise<void> {
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

const show = (secret: string) => ({ 'X-Agent-Secret': secret })
const open = (secret: string) => openSse(service.config.publicUrl, { widget_id: widgetId }, show(secret))

async function openToolStream(secret: string): Promise<number> {
  const url = new URL('/api/mcp/sse', service.config.publicUrl)
  url.searchParams.set('widget_id', widgetId)
  const aborted = new AbortController()
  const { status } = await fetch(url, { headers: show(secret), signal: aborted.signal })
  aborted.abort()
  return status
}

const report = async (secret: string): Promise<number> => {
  const attempt = '/api/internal/attempts/00000000-0000-4000-8000-000000000000/reports'
  const response = await fetch(new URL(attempt, service.config.publicUrl), {
    method: 'POST',
    headers: { ...show(secret), 'content-type': 'application/json' },
    body: '{}',
  })
  return response.status
}

it("accepts the old and the new runtime secret while the file has both, and ends the old secret's sessions when it's removed", async () => {
  const before = await open(old)
  await rotateSecrets(`${next}\n${old}`)
  await waitUntil(async () => (await openToolStream(next)) === 200)
  const after = await open(next)
  expect((await before.request('ping')).result).toEqual({})

  await rotateSecrets(next)
  await before.ended
  expect([await openToolStream(old), await report(old)]).toEqual([401, 401])
  expect([await openToolStream(next), await report(next)]).toEqual([200, 422])
  expect((await after.request('ping')).result).toEqual({})
  after.close()
})
