import type { Deps } from '../../deps.ts'
import type { Line } from './line.ts'
import { createSimulatedLine } from './simulated.ts'

/** The lines of this service: test calls never leave the simulated one. */
export interface Lines {
  real: Line
  test: Line
}

/** The lines that the configuration asks for. */
export const chooseLines = ({ clock, config }: Pick<Deps, 'clock' | 'config'>): Lines => {
  const simulated = createSimulatedLine(clock, config.lineSpeed)
  return { real: simulated, test: simulated }
}
