import type { Deps } from '../../deps.ts'
import { describeError } from '../../platform/core/errors.ts'
import { createAttemptToken } from '../../platform/secrets/attempt-tokens.ts'
import { createHttpProvider } from './http-runtime/http-provider.ts'
import { UnreadableStateError } from './http-runtime/parse-call-state.ts'
import { createReachability } from './http-runtime/reachability.ts'
import { noteRepairs } from './http-runtime/repair-report.ts'
import { createRuntimeClient } from './http-runtime/runtime-client.ts'
import type { TelephonyProvider } from './provider.ts'
import { logCalls } from './simulated/log-calls.ts'
import { createSimulatedAgent } from './simulated/simulated-agent.ts'
import { createSimulatedProvider } from './simulated/simulated-provider.ts'

/** The telephony providers of this service. Test calls always use the simulated one. */
export interface TelephonyProviders {
  real: TelephonyProvider
  test: TelephonyProvider
}

export type ProviderDeps = Pick<
  Deps,
  | 'clock'
  | 'config'
  | 'db'
  | 'log'
  | 'metrics'
  | 'random'
  | 'runtimeSecrets'
  | 'runtimeSigningKeys'
  | 'attemptTokenKey'
>

export const chooseProviders = (deps: ProviderDeps): TelephonyProviders => {
  const { clock, config } = deps
  const simulated = logCalls(
    createSimulatedProvider(clock, config.simulationSpeed, createConfiguredAgent(deps)),
    deps.log,
  )
  return { real: createConfiguredHttpProvider(deps) ?? simulated, test: simulated }
}

function createConfiguredHttpProvider(deps: ProviderDeps) {
  const { clock, config, db, log, metrics, random } = deps
  const { telephony, runtimeUrl, internalUrl } = config
  if (telephony !== 'http' || runtimeUrl === undefined) return undefined
  metrics.runtimeUp.set(1)
  const reachability = createReachability({
    clock,
    random,
    onUnreachable: (error) => {
      metrics.runtimeUp.set(0)
      log.warn({ error: describeError(error) }, "can't reach the agent runtime; calls wait until it responds")
    },
    onReachable: () => {
      metrics.runtimeUp.set(1)
      log.info('reached the agent runtime again; calls continue')
    },
  })
  return createHttpProvider({
    db,
    clock,
    internalUrl,
    createToken: (attemptId) => createAttemptToken(deps.attemptTokenKey, attemptId),
    reachability,
    runtime: createRuntimeClient({
      url: runtimeUrl,
      signingKeys: deps.runtimeSigningKeys,
      clock,
      reachability,
    }),
    onError: (attempt, error) => {
      if (error instanceof UnreadableStateError) metrics.unreadableResponses.inc()
      log.warn({ attempt, error: describeError(error) }, 'failed to get the state of a call attempt')
    },
    onRepair: (attempt, repaired) => noteRepairs(deps, attempt, repaired),
  })
}

/** Creates the simulated agent. Returns undefined without a runtime secret, because the tool server would reject the agent. */
function createConfiguredAgent({ config, runtimeSecrets, log }: ProviderDeps) {
  if (runtimeSecrets().length === 0) return undefined
  return createSimulatedAgent({
    url: config.internalUrl,
    secret: () => runtimeSecrets()[0] ?? '',
    onError: (failure) => log.warn(failure, "failed to use the simulated agent's tools"),
  })
}
