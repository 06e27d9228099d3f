import { expect, it } from '@jest/globals'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

it('decrypts the webhook secret of a workspace', async () => {
  const deps = testDeps(database.db)
  const seed = await seedWorkspace(deps)
  const row = await database.db
    .selectFrom('workspace')
    .selectAll()
    .where('id', '=', seed.workspaceId)
    .executeTakeFirstOrThrow()
  expect(deps.secretBox.open(row.webhook_secret)).toMatch(/^whsec_/)
})
