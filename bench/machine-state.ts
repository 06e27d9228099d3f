import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Environment } from '../backend/config.ts'

/** Creates a temporary folder. It can grow to gigabytes, so it's also removed if this process exits without `remove`. */
export async function createFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
  const options = { recursive: true, force: true } as const
  const removeNow = () => rmSync(folder, options)
  process.once('exit', removeNow)
  return {
    folder,
    remove: async () => {
      await rm(folder, options)
      process.off('exit', removeNow)
    },
  }
}

/** Returns this process's environment without the service's settings, which would change the results. */
export const environmentWithoutSettings = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in Environment.shape)))
