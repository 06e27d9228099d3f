import type { Logger } from 'pino'
import type { Random, Clock } from './core/clock.ts'
import type { Config } from './config.ts'
import type { Db } from './db/schema.ts'
import type { SecretBox } from './secrets/secret-box.ts'

/** What every operation of the service is given. `main.ts` assembles it, and the tests do. */
export interface Deps {
  config: Config
  /** What agent runtimes show this service, as it is valid now; the first is what it shows itself. */
  runtimeSecrets: () => readonly string[]
  db: Db
  clock: Clock
  random: Random
  log: Logger
  secretBox: SecretBox
  notify: Notify
}

/** Tells the workers and the tool server of this process, after a commit, that there is something to do. */
export interface Notify {
  callQueued(): void
  deliveryQueued(): void
  importQueued(): void
  toolsChanged(change: ToolChange): void
}

/** Where no worker and no tool server runs: a command, a test. */
export const noNotify: Notify = {
  callQueued: () => {},
  deliveryQueued: () => {},
  importQueued: () => {},
  toolsChanged: () => {},
}

/** What the tool server must not remember any longer: the tools of an agent or of all, or that an attempt is on. */
export type ToolChange =
  { workspaceId: number; agentId?: number } | { workspaceId: number; endedAttempt: string }
