import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Clock, Random } from './core/clock.ts'
import type { Notify } from './core/notify.ts'
import type { Db } from './db/schema.ts'
import type { SecretBox } from './secrets/secret-box.ts'

/** What every operation of the service is given. `open-deps.ts` assembles it, and the tests do. */
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
