import { expect, it } from '@jest/globals'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { findFreePort } from '../../platform/db/embedded/server-address.ts'
import type { Db } from '../../platform/db/schema.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { testDeps } from '../support/deps.ts'
import { getCsrfToken, request } from '../support/foreign-objects.ts'
import { useHttpReceiver } from '../support/http-receiver.ts'
import { useServiceWorld } from '../support/service.ts'
import { waitForValue } from '../support/wait.ts'

const receiver = useHttpReceiver()
const world = useServiceWorld(async (db: Db) => {
  const port = await findFreePort('127.0.0.1')
  const config = parseConfig({
    PORT: String(port),
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    MAX_REQUESTS_IN_PROGRESS: '4',
  })
  const deps = testDeps(db, { config })
  const app = await createApp(deps)
  await app.listen({ host: '127.0.0.1', port })
  return { app, deps, url: config.publicUrl, close: () => app.close() }
})

it('responds to other workspaces while 10 submitted forms of one workspace wait for a slow server, and rejects an eleventh', async () => {
  const user = await seedSignedInOwner(world.service)
  const other = await seedSignedInOwner(world.service, 'Other')
  const _csrf = await getCsrfToken(user)
  const { respond } = receiver
  const waiting: (() => void)[] = []
  receiver.respond = (_request, response) => void waiting.push(() => response.writeHead(500).end())
  const addServer = (name: string) =>
    request(world.service, user, `/w/${user.seed.workspaceId}/tools/new-server`, {
      ...{ _csrf, name, description: 'Slow.', url: receiver.url('/mcp'), transport: 'streamable' },
    })

  const forms: ReturnType<typeof addServer>[] = []
  for (let count = 1; count <= 10; count += 1) {
    forms.push(addServer(`slow_${count}`))
    await waitForValue(
      () => Promise.resolve(waiting.length),
      (length) => length === count,
    )
  }
  expect((await other.open('/overview')).status).toBe(200)
  const { status, html } = await addServer('slow_11')
  expect(status).toBe(429)
  expect(html).toContain('Your workspace is already processing 10 uploads or other slow requests.')

  receiver.respond = (_request, response) => response.writeHead(500).end()
  for (const finish of waiting) finish()
  expect((await Promise.all(forms)).map((form) => form.status)).toEqual(forms.map(() => 422))
  expect((await addServer('slow_11')).status).toBe(422)
  receiver.respond = respond
})
