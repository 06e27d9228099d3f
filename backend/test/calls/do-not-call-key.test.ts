import { createHash, createHmac } from 'node:crypto'
import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { parseConfig } from '../../config.ts'
import { openDeps } from '../../open-deps.ts'
import { connect } from '../../platform/db/connect.ts'
import { isOnDoNotCallList } from '../../queue/calls/check-do-not-call.ts'
import { admin } from '../support/admin.ts'
import { createTestDatabase } from '../support/database.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useTestDatabase } from '../support/world.ts'

const oldKey = 'test-key-of-at-least-thirty-two-characters'
const newKey = 'another-key-of-at-least-thirty-two-characters'
const number = '+12025550173'

const database = useTestDatabase()

const environment = (secretKey: string, url = database.url) => ({ DATABASE_URL: url, SECRET_KEY: secretKey })

/** Opens the database as a process with this SECRET_KEY does. */
const open = (secretKey: string, url?: string) => {
  const { log } = testDeps(database.db)
  return openDeps({ config: parseConfig(environment(secretKey, url)), log, purpose: 'command' })
}

async function isListed(secretKey: string, workspaceId: number): Promise<boolean> {
  const { deps, close } = await open(secretKey)
  const listed = await isOnDoNotCallList(deps.db, workspaceId, number)
  await close()
  return listed
}

const addToList = (workspaceId: number, url?: string) =>
  admin(
    ['do-not-call', 'add', '--workspace', String(workspaceId), '--number', number],
    environment(oldKey, url),
  )

it('still finds a number on the do-not-call list after SECRET_KEY was rotated and the old key was removed', async () => {
  const { workspaceId } = await seedWorkspace(testDeps(database.db))
  expect(await addToList(workspaceId)).toMatchObject({ code: 0 })
  expect(await isListed(oldKey, workspaceId)).toBe(true)
  expect(await isListed(`${newKey},${oldKey}`, workspaceId)).toBe(true)
  await expect(open(newKey)).rejects.toThrow("SECRET_KEY can't decrypt the secrets in this database")

  const result = await admin(['reencrypt-secrets'], environment(`${newKey},${oldKey}`))
  expect(result).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/secrets were encrypted again. SECRET_KEY now needs only its first key/),
  })
  expect(await isListed(newKey, workspaceId)).toBe(true)
  await expect(open(oldKey)).rejects.toThrow("SECRET_KEY can't decrypt the secrets in this database")
})

it("computes hashes with a random key that can't be derived from SECRET_KEY", async () => {
  const salt = Buffer.alloc(16, 1)
  const saltedHash = createHash('sha256').update(salt).update(number).digest()
  const hashes = await Promise.all(
    [1, 2].map(async () => {
      const other = await createTestDatabase()
      const { url, db } = other
      const { workspaceId } = await seedWorkspace(testDeps(db))
      await sql`update workspace set number_salt = ${salt}`.execute(db)
      await addToList(workspaceId, url)
      const { number_hash: hash } = await db
        .selectFrom('do_not_call')
        .select('number_hash')
        .executeTakeFirstOrThrow()
      const { deps, close } = await open(oldKey, url)
      const stored = await deps.db
        .selectFrom('server_secret')
        .select('value')
        .where('name', '=', 'do_not_call_key')
        .executeTakeFirstOrThrow()
      const key = deps.secretBox.open(stored.value, ['server_secret.value', 'do_not_call_key'])
      await close()
      await other.close()
      expect(hash).toEqual(createHmac('sha256', Buffer.from(key, 'base64url')).update(saltedHash).digest())
      return hash
    }),
  )
  expect(hashes[0]).not.toEqual(hashes[1])
})

it("rejects a lookup by a process that doesn't have the key of the list, instead of finding nothing", async () => {
  const { workspaceId } = await seedWorkspace(testDeps(database.db))
  const other = connect({ url: database.url, max: 1 })
  await expect(isOnDoNotCallList(other, workspaceId, number)).rejects.toThrow(
    'unrecognized configuration parameter',
  )
  await other.destroy()
})
