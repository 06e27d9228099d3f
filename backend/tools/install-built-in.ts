import type { Deps } from '../deps.ts'
import { toolKinds } from './kind-registry.ts'
import { insertBuiltInTools, selectToolKinds } from './tool-store.ts'

/** Gives a workspace the tools that come with Outdial, as far as it has none of their kinds. Agents get none by it. */
export async function installBuiltInTools(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
): Promise<void> {
  const present = await selectToolKinds(db, workspaceId)
  const createdAt = clock.now()
  const missing = [...toolKinds.values()].flatMap(({ kind, builtIn }) =>
    builtIn === undefined || present.has(kind) ? [] : [{ kind, definition: builtIn, createdAt }],
  )
  await insertBuiltInTools(db, workspaceId, missing)
}
