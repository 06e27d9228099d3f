import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import { createTestDatabase } from './database.ts'
import { type TestDeps, testDeps } from './deps.ts'
import { type Seed, seedWorkspace } from './factories.ts'

/**
 * Gives a test file its own database. Jest runs `afterAll` hooks in the order of their registration: what uses the
 * database until the end must register its hook before this one.
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

/** The file's database, and dependencies and a workspace that are new for each test. Read them in hooks and tests only. */
export interface World {
  readonly database: ReturnType<typeof useTestDatabase>
  readonly deps: TestDeps
  readonly seed: Seed
}

/** Gives every test a new workspace; `overrides` is called once for each test. */
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
  /** Stopped after each test. */
  readonly workers: { stop(): Promise<unknown> }[]
}

/** Gives every test a new workspace and an empty queue: no other call waits, is being made, or awaits its analysis. */
export function useCallsWorld(overrides?: () => Partial<TestDeps>): CallsWorld {
  const world = useWorld(overrides)
  const workers: CallsWorld['workers'] = []
  beforeEach(async () => {
    // Dialers and sweepers work for all workspaces, so they'd find what an earlier test left behind.
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
