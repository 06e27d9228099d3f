import type { Logger } from 'pino'
import type { ModelClient } from './calling/conversation/model/model-client.ts'
import type { Config } from './config.ts'
import type { Clock, Random } from './platform/core/clock.ts'
import type { Notify } from './platform/core/notify.ts'
import type { Db } from './platform/db/schema.ts'
import type { ConfirmRights } from './platform/db/transaction.ts'
import type { ReadReplica, Replicas } from './platform/replicas/replicas.ts'
import type { SecretBox } from './platform/secrets/secret-box.ts'
import type { Metrics } from './service/metrics/metrics.ts'

/** The dependencies of the service's operations. `open-deps.ts` creates them; tests create their own. */
export interface Deps {
  config: Config
  /** Returns the currently valid secrets of agent runtimes. Outdial itself sends the first one. */
  runtimeSecrets: () => readonly string[]
  /** Returns the keys that currently sign requests to the agent runtime, or no keys without an agent runtime. */
  runtimeSigningKeys: () => readonly string[]
  /** Creates and verifies the tokens of attempts and conversations. */
  attemptTokenKey: Buffer
  db: Db
  /** Set for a request that writes. Each transaction of the request begins with this check. */
  confirmRights?: ConfirmRights
  /** Handles the queries of the dashboard's lists and exports. Undefined without DATABASE_READ_URL, and in workers. */
  readReplica: ReadReplica | undefined
  clock: Clock
  random: Random
  log: Logger
  secretBox: SecretBox
  notify: Notify
  metrics: Metrics
  /** Sends requests to language models. Undefined without LLM_URL, and for a command. */
  model: ModelClient | undefined
  /** Connects the processes of this installation over Redis. */
  replicas: Replicas
}
