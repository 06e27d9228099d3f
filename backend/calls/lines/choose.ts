import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { createCallAgent } from '../../runtime/call-agent.ts'
import type { Line } from './line.ts'
import { createSimulatedLine } from './simulated.ts'

/** The lines of this service: test calls never leave the simulated one. */
export interface Lines {
  real: Line
  test: Line
}

/** The lines that the configuration asks for. */
export const chooseLines = (deps: Pick<Deps, 'clock' | 'config' | 'log'>): Lines => {
  const { clock, config } = deps
  const simulated = createSimulatedLine(clock, config.lineSpeed, agentOf(config, deps))
  return { real: simulated, test: simulated }
}

/** Only with a runtime secret is there a tool server that lets an agent in. */
function agentOf({ internalUrl, runtimeSecrets: [secret] }: Config, { log }: Pick<Deps, 'log'>) {
  if (secret === undefined) return undefined
  return createCallAgent({
    url: internalUrl,
    secret,
    onTrouble: (trouble) => log.warn(trouble, 'an agent could not use its tools'),
  })
}
