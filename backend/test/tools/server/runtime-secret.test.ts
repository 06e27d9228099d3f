import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { parseConfig } from '../../../config.ts'
import { loadRuntimeSecrets } from '../../../tools/load-runtime-secrets.ts'

it('makes one secret for a DATA_DIR, for its owner alone, and keeps it', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'outdial-runtime-secret-'))
  const made = await loadRuntimeSecrets(parseConfig({}), folder)
  expect(made).toEqual([expect.stringMatching(/^.{32,}$/)])
  expect(await loadRuntimeSecrets(parseConfig({}), folder)).toEqual(made)
  expect((await stat(path.join(folder, 'runtime-secret'))).mode & 0o777).toBe(0o600)
  await rm(folder, { recursive: true })
})

it('takes those of RUNTIME_SECRET and no other', async () => {
  const config = parseConfig({ RUNTIME_SECRET: 'new, old' })
  expect(await loadRuntimeSecrets(config, '/nowhere')).toEqual(['new', 'old'])
})

it('stops with a sentence where an own database comes without a secret', async () => {
  await expect(loadRuntimeSecrets(parseConfig({}), undefined)).rejects.toThrow(
    /^RUNTIME_SECRET is not set: with DATABASE_URL, set it to at least 32 random characters/,
  )
})
