import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import { createTestDatabase } from './database.ts'
import { type TestDeps, testDeps } from './deps.ts'
import { type Seed, seedWorkspace } from './factories.ts'

/**
 * Gives a test file a separate database. Jest runs `afterAll` hooks in registration order, so code that uses the database until
 * the end must register its hook before it calls this function.
 */
export function useTestDatabase() {
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())
  return {
    get url() {
      return database.url
    },
    get db() {
      return database.db
    },
  }
}

/** A database for the file, and new dependencies and a new workspace for each test. Use them only in hooks and tests. */
export interface World {
  readonly database: ReturnType<typeof useTestDatabase>
  readonly deps: TestDeps
  readonly seed: Seed
}

/** Gives every test a new workspace. `overrides` is called for each test. */
export function useWorld(overrides: () => Partial<TestDeps> = () => ({})): World {
  const database = useTestDatabase()
  let deps: TestDeps
  let seed: Seed
  beforeEach(async () => {
    deps = testDeps(database.db, overrides())
    seed = await seedWorkspace(deps)
  })
  return {
    database,
    get deps() {
      return deps
    },
    get seed() {
      return seed
    },
  }
}

export interface CallsWorld extends World {
  /** Workers that are stopped after each test. */
  readonly workers: { stop(): Promise<unknown> }[]
}

/** Gives every test a new workspace and an empty queue. No other call waits, is in progress, or waits for its analysis. */
export function useCallsWorld(overrides?: () => Partial<TestDeps>): CallsWorld {
  const world = useWorld(overrides)
  const workers: CallsWorld['workers'] = []
  beforeEach(async () => {
    // Dialers and sweepers handle the calls of all workspaces, including those that earlier tests left.
    await world.database.db.deleteFrom('call').where('workspace_id', '!=', world.seed.workspaceId).execute()
  })
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  })
  return {
    database: world.database,
    workers,
    get deps() {
      return world.deps
    },
    get seed() {
      return world.seed
    },
  }
}
