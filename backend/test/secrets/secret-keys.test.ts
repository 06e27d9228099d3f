import { chmod, chown, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import pino from 'pino'
import { parseConfig } from '../../config.ts'
import { createSecretBox } from '../../platform/secrets/secret-box.ts'
import { checkSecretKeys, loadSecretKeys, reencryptSecrets } from '../../platform/secrets/secret-keys.ts'
import { testDeps } from '../support/deps.ts'
import { itAsRoot } from '../support/embedded-database-process.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useTestFolder } from '../support/folder.ts'
import { useTestDatabase } from '../support/world.ts'

const old = 'an-old-key-of-at-least-thirty-two-characters'
const fresh = 'a-fresh-key-of-at-least-thirty-two-characters'

const database = useTestDatabase()
const folder = useTestFolder()

it('if four callers load the key at once, creates only one key in DATA_DIR, in a file that only its owner can read', async () => {
  const loaded = await Promise.all([1, 2, 3, 4].map(() => loadSecretKeys(parseConfig({}), folder.path)))
  const [key = ''] = loaded[0] ?? []
  expect(key.length).toBeGreaterThanOrEqual(32)
  for (const keys of loaded) expect(keys).toEqual([key])
  const file = path.join(folder.path, 'secret-key')
  expect(await readFile(file, 'utf8')).toBe(key)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it('returns the keys in SECRET_KEY first, and then the key in DATA_DIR', async () => {
  const [dataDirKey] = await loadSecretKeys(parseConfig({}), folder.path)
  const config = parseConfig({ SECRET_KEY: `${fresh}, ${old}` })
  expect(await loadSecretKeys(config, folder.path)).toEqual([fresh, old, dataDirKey])
})

it('rejects an empty key file in DATA_DIR, and says to restore it from a backup', async () => {
  const emptied = await mkdtemp(path.join(folder.path, 'emptied-'))
  await writeFile(path.join(emptied, 'secret-key'), '', { mode: 0o600 })
  await expect(loadSecretKeys(parseConfig({}), emptied)).rejects.toThrow('Restore the file from your backup')
})

it('rejects a key file in DATA_DIR that other users can open, and says how to correct it', async () => {
  const opened = await mkdtemp(path.join(folder.path, 'opened-'))
  const file = path.join(opened, 'secret-key')
  await writeFile(file, old)
  for (const mode of [0o644, 0o620, 0o606]) {
    await chmod(file, mode)
    await expect(loadSecretKeys(parseConfig({}), opened)).rejects.toThrow(
      `Other users can open ${file}. If no other user has read or changed the secret in it, run chmod 600 on the file.`,
    )
  }
  await chmod(file, 0o600)
  expect(await loadSecretKeys(parseConfig({}), opened)).toEqual([old])
})

itAsRoot('rejects a key file in DATA_DIR that belongs to another user', async () => {
  const planted = await mkdtemp(path.join(folder.path, 'planted-'))
  const file = path.join(planted, 'secret-key')
  await writeFile(file, old, { mode: 0o600 })
  await chown(file, 1, 1)
  await expect(loadSecretKeys(parseConfig({}), planted)).rejects.toThrow('belongs to another user (UID 1)')
})

it('requires SECRET_KEY if DATABASE_URL is set, and requires at least 32 characters in each key', async () => {
  await expect(loadSecretKeys(parseConfig({}), undefined)).rejects.toThrow(
    /^SECRET_KEY is not set. It's required when DATABASE_URL is set.* at least 32 random/,
  )
  const short = parseConfig({ SECRET_KEY: `${fresh},short` })
  await expect(loadSecretKeys(short, undefined)).rejects.toThrow(
    'SECRET_KEY must have at least 32 characters',
  )
})

const check = (keys: string[]) => checkSecretKeys({ db: database.db, secretBox: createSecretBox(keys) })

it("rejects a key that can't decrypt the database's secrets, and accepts a new key that's listed before the old key", async () => {
  await check([old])
  await expect(check([fresh])).rejects.toThrow("SECRET_KEY can't decrypt the secrets in this database")
  await check([fresh, old])
})

it('re-encrypts the stored secrets with the first key, and counts those that no key can decrypt', async () => {
  const { db } = database
  const log = pino({ level: 'silent' })
  await check([fresh, old])
  const [found, lost] = await Promise.all([seedWorkspace(testDeps(db)), seedWorkspace(testDeps(db))])
  const place = (id: number) => ['workspace.webhook_secret', id] as const
  const save = (id: number, secret: string) =>
    db.updateTable('workspace').set({ webhook_secret: secret }).where('id', '=', id).execute()
  await save(found.workspaceId, createSecretBox([old]).seal('the secret', place(found.workspaceId)))
  await save(lost.workspaceId, createSecretBox(['a key that was lost']).seal('x', place(lost.workspaceId)))

  const reencrypt = () => reencryptSecrets({ db, secretBox: createSecretBox([fresh, old]), log })
  expect(await reencrypt()).toEqual({ changed: 1, unopened: 1 })
  expect(await reencrypt()).toEqual({ changed: 0, unopened: 1 })

  await check([fresh])
  const { webhook_secret: sealed } = await db
    .selectFrom('workspace')
    .select('webhook_secret')
    .where('id', '=', found.workspaceId)
    .executeTakeFirstOrThrow()
  expect(createSecretBox([fresh]).open(String(sealed), place(found.workspaceId))).toBe('the secret')
})
