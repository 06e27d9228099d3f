import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'

/** Gives a test file an empty folder, which is removed after the last test. Use its path only in hooks and tests. */
export function useTestFolder(): { readonly path: string } {
  const folder = { path: '' }
  beforeAll(async () => {
    folder.path = await mkdtemp(path.join(tmpdir(), 'outdial-test-'))
  })
  afterAll(() => rm(folder.path, { recursive: true, force: true }))
  return folder
}
