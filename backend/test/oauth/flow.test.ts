import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import {
  type App,
  apiStatus,
  connect,
  type Member,
  seedApp,
  seedMember,
  type Service,
  startService,
} from './support.ts'

let database: TestDatabase
let service: Service
let robin: Member
let zapier: App
beforeAll(async () => {
  database = await createTestDatabase()
  service = await startService(database.db)
  robin = await seedMember(service.deps, 'Acme', 'Globex')
  zapier = await seedApp(service, 'confidential')
})
afterAll(async () => {
  await service.close()
  await database.close()
})

it('connects an app to the workspace that was chosen', async () => {
  const tokens = await connect(zapier, robin, 'Globex')
  expect(tokens.answer).toMatchObject({
    token_type: 'bearer',
    expires_in: 3600,
    scope: 'contacts:write calls:read',
    workspace_id: robin.workspaces.Globex,
    workspace_name: 'Globex',
  })
  expect(await apiStatus(service, tokens.access_token)).toBe(200)
})
