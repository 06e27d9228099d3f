import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import type { Db } from '../../platform/db/schema.ts'
import { findCall } from '../../queue/calls/get-calls.ts'
import { dumpRows, findForeignObjects } from '../support/foreign-objects.ts'
import { listDashboardRoutes } from '../support/page-paths.ts'
import { createRewritingDatabase } from '../support/rewriting-database.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { type Service, startService } from '../support/service.ts'
import { type ApiRequest, createSender } from '../support/test-api.ts'
import { waitFor } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

// In this file, the service's statements lose their conditions on the workspace (the first wall). The tables' policies (the
// second wall) must be enough.

let service: Service
let db: Db
let ours: SeededObjects
let theirs: SeededObjects
let removedConditions = 0
// This hook must run before the database's hook. Jest runs these hooks in registration order.
afterAll(async () => {
  await service.close()
  await db.destroy()
})
const database = useTestDatabase()
beforeAll(async () => {
  db = createRewritingDatabase(database.url, removeWorkspaceConditions)
  service = await startService(db)
  const seeding = { ...service, deps: { ...service.deps, db: database.db } }
  ours = await seedEverything(seeding, 'Ours')
  theirs = await seedEverything(seeding, 'Theirs')
})

/** Replaces `workspace_id = $1` with a condition that uses the same parameter, but is always true. */
const removeWorkspaceConditions = (text: string): string =>
  text.replace(/(?:"\w+"\.|\b\w+\.)?"?workspace_id"? = (\$\d+)/g, (_, parameter: string) => {
    removedConditions += 1
    return `${parameter}::bigint is not null`
  })

it("a lookup finds another workspace's call if neither a condition nor a policy limits the lookup to one workspace", async () => {
  const now = service.deps.clock.now()
  expect(
    await findCall({ ...service.deps, db: database.db }, ours.workspaceId, theirs.call, now),
  ).toBeUndefined()
  expect(await findCall({ ...service.deps, db }, ours.workspaceId, theirs.call, now)).toMatchObject({
    id: theirs.call,
  })
})

it("even without conditions on the workspace, every dashboard page returns 404 for another workspace's objects and changes nothing", async () => {
  const before = await dumpRows(database)
  const routes = listDashboardRoutes(service.deps).filter(({ crossesWorkspaces }) => !crossesWorkspaces)
  const alreadyRemoved = removedConditions
  expect(await findForeignObjects(service, routes, { ours, theirs })).toEqual([])
  expect(await dumpRows(database)).toEqual(before)
  expect(removedConditions - alreadyRemoved).toBeGreaterThan(routes.length)
}, 60_000)

it("even without conditions on the workspace, the API hides another workspace's objects, and changes nothing", async () => {
  const { key } = await createApiKey(
    { ...service.deps, db: database.db },
    ours.workspaceId,
    ours.owner,
    'Website',
  )
  const send = createSender(service.app, key)
  for (const path of ['/calls/', '/campaigns/', '/agents/', '/phone-numbers/']) {
    const { results } = (await send({ path })).json<{ results: unknown[] }>()
    expect([path, results.length > 0, JSON.stringify(results)]).toEqual([
      path,
      true,
      expect.not.stringContaining('Theirs'),
    ])
  }
  // Waits for `last_used_at`, which the service sets after the response.
  await waitFor(() =>
    database.db.selectFrom('api_key').select('id').where('last_used_at', 'is not', null).executeTakeFirst(),
  )
  const before = await dumpRows(database)
  const subscription = { target_url: 'https://hooks.example.com/x', event: 'call.completed' }
  const requests: ApiRequest[] = [
    { path: `/calls/${theirs.call}/` },
    { path: `/calls/?campaign_id=${theirs.campaign}` },
    { method: 'DELETE', path: `/webhooks/${theirs.subscription}/` },
    {
      method: 'POST',
      path: '/contacts/',
      body: { phone_number: '+12025550156', campaign_id: theirs.campaign },
    },
    {
      method: 'POST',
      path: '/campaigns/',
      body: { name: 'Mixed', agent_id: theirs.agent, phone_number_id: theirs.number },
    },
    {
      method: 'POST',
      path: '/webhooks/subscribe',
      body: { ...subscription, filter: { campaign_id: theirs.campaign } },
    },
    {
      method: 'POST',
      path: '/webhooks/subscribe',
      body: { ...subscription, filter: { agent_id: theirs.agent } },
    },
  ]
  for (const request of requests) {
    const response = await send(request)
    const isHidden = response.statusCode === 404 || response.body.includes('"results":[]')
    expect([request.path, isHidden, response.statusCode]).toEqual([request.path, true, response.statusCode])
  }
  expect(await dumpRows(database)).toEqual(before)
})
