import pino from 'pino'
import { parseConfig } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { noNotify } from '../../platform/core/notify.ts'
import type { Db } from '../../platform/db/schema.ts'
import { createLoneReplica } from '../../platform/replicas/replicas.ts'
import { createSecretBox } from '../../platform/secrets/secret-box.ts'
import { createMetrics } from '../../service/metrics/metrics.ts'
import { ManualClock } from './clock.ts'

export type TestDeps = Deps & { clock: ManualClock }

/**
 * Returns real dependencies, but with a clock that the test advances and a random source that always returns the same number.
 */
export function testDeps(db: Db, overrides: Partial<TestDeps> = {}): TestDeps {
  const config = parseConfig({
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    LOG_LEVEL: 'silent',
  })
  const { runtimeSecrets, runtimeSigningKeys } = overrides.config ?? config
  return {
    config,
    runtimeSecrets: () => runtimeSecrets,
    runtimeSigningKeys: () => runtimeSigningKeys,
    attemptTokenKey: Buffer.from('attempt-token-key-of-the-tests'),
    db,
    readReplica: undefined,
    clock: new ManualClock(),
    random: () => 0.5,
    log: pino({ level: 'silent' }),
    secretBox: createSecretBox(['test-key-of-at-least-thirty-two-characters']),
    notify: { ...noNotify },
    metrics: createMetrics(),
    model: undefined,
    replicas: createLoneReplica(),
    ...overrides,
  }
}
