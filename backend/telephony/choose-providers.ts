import { describeError } from '../describe-error.ts'
import type { Deps } from '../deps.ts'
import { createCallAgent } from './simulated/simulated-agent.ts'
import { createHttpLine } from './http-runtime/http-provider.ts'
import type { Line } from './provider.ts'
import { createRuntimeClient } from './http-runtime/runtime-client.ts'
import { createSimulatedLine } from './simulated/simulated-provider.ts'

/** The lines of this service: test calls never leave the simulated one. */
export interface Lines {
  real: Line
  test: Line
}

type LineDeps = Pick<Deps, 'clock' | 'config' | 'db' | 'log' | 'runtimeSecrets'>

/** The lines that the configuration asks for. */
export const chooseLines = (deps: LineDeps): Lines => {
  const { clock, config } = deps
  const simulated = createSimulatedLine(clock, config.lineSpeed, agentOf(deps))
  return { real: httpLineOf(deps) ?? simulated, test: simulated }
}

function httpLineOf({ clock, config, db, log, runtimeSecrets }: LineDeps) {
  const { line, runtimeUrl, internalUrl } = config
  if (line !== 'http' || runtimeUrl === undefined) return undefined
  return createHttpLine({
    db,
    clock,
    internalUrl,
    runtime: createRuntimeClient({ url: runtimeUrl, secrets: runtimeSecrets, clock }),
    onTrouble: (attempt, error) =>
      log.warn({ attempt, error: describeError(error) }, 'what became of a call could not be asked'),
  })
}

/** Only with a runtime secret is there a tool server that lets an agent in. */
function agentOf({ config, runtimeSecrets, log }: LineDeps) {
  if (runtimeSecrets().length === 0) return undefined
  return createCallAgent({
    url: config.internalUrl,
    secret: () => runtimeSecrets()[0] ?? '',
    onTrouble: (trouble) => log.warn(trouble, 'an agent could not use its tools'),
  })
}
