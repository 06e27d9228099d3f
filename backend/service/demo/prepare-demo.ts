import { hasWorkspaces } from '../../accounts/identity/workspaces.ts'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { type DemoFile, readDemoFile, writeDemoFile } from './demo-file.ts'
import { seedDemo } from './seed-demo.ts'

/**
 * Creates the demo workspace in a database without workspaces, and updates demo.json. Only demo.json has the credentials, so
 * it's written before the workspace is committed.
 *
 * @returns undefined if demo.json was removed, because its credentials can't be recovered
 */
export async function prepareDemo(deps: Deps, dataDir: string): Promise<DemoFile | undefined> {
  const current = { base_url: deps.config.publicUrl, runtime_secret: deps.runtimeSecrets()[0] ?? '' }
  if (await hasWorkspaces(deps)) {
    const demo = await readDemoFile(dataDir)
    if (demo === undefined) return undefined
    if (demo.base_url === current.base_url && demo.runtime_secret === current.runtime_secret) return demo
    const updated = { ...demo, ...current }
    await writeDemoFile(dataDir, updated)
    return updated
  }
  return inTransaction(deps, async (tx) => {
    const demo = { ...current, ...(await seedDemo(tx)) }
    await writeDemoFile(dataDir, demo)
    return demo
  })
}
