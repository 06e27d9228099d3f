import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { parseConfig } from '../../config.ts'
import { createSecretBox } from '../../secrets/secret-box.ts'
import { checkSecretKeys, loadSecretKeys } from '../../secrets/secret-keys.ts'
import { useTestFolder } from '../support/folder.ts'
import { useTestDatabase } from '../support/world.ts'

const old = 'an-old-key-of-at-least-thirty-two-characters'
const fresh = 'a-fresh-key-of-at-least-thirty-two-characters'

const database = useTestDatabase()
const folder = useTestFolder()

it('makes one key for a DATA_DIR, for its owner alone, though several ask at once', async () => {
  const loaded = await Promise.all([1, 2, 3, 4].map(() => loadSecretKeys(parseConfig({}), folder.path)))
  const [key = ''] = loaded[0] ?? []
  expect(key.length).toBeGreaterThanOrEqual(32)
  for (const keys of loaded) expect(keys).toEqual([key])
  const file = path.join(folder.path, 'secret-key')
  expect(await readFile(file, 'utf8')).toBe(key)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it('puts the keys of SECRET_KEY before that of DATA_DIR', async () => {
  const [dataDirKey] = await loadSecretKeys(parseConfig({}), folder.path)
  const config = parseConfig({ SECRET_KEY: `${fresh}, ${old}` })
  expect(await loadSecretKeys(config, folder.path)).toEqual([fresh, old, dataDirKey])
})

it('refuses a key of DATA_DIR that was emptied', async () => {
  const emptied = await mkdtemp(path.join(folder.path, 'emptied-'))
  await writeFile(path.join(emptied, 'secret-key'), '')
  await expect(loadSecretKeys(parseConfig({}), emptied)).rejects.toThrow('restore it from your backup')
})

it('demands SECRET_KEY of at least 32 characters with DATABASE_URL', async () => {
  await expect(loadSecretKeys(parseConfig({}), undefined)).rejects.toThrow(
    /^SECRET_KEY is not set: .* at least 32 random/,
  )
  const short = parseConfig({ SECRET_KEY: `${fresh},short` })
  await expect(loadSecretKeys(short, undefined)).rejects.toThrow(
    'SECRET_KEY must have at least 32 characters',
  )
})

it('tells at the start that a key is not that of the database, and takes a new one before the old', async () => {
  await checkSecretKeys(database.db, createSecretBox([old]))
  await expect(checkSecretKeys(database.db, createSecretBox([fresh]))).rejects.toThrow(
    'SECRET_KEY does not open the secrets of this database',
  )
  await checkSecretKeys(database.db, createSecretBox([fresh, old]))
})
