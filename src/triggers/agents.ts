import type { Agent } from '@outdial/contract'
import { dropdown } from '../dropdown.ts'

/** The agents that are Live. */
export const agents = dropdown<Agent>({
  key: 'agents',
  noun: 'Agent',
  path: '/agents/',
  label: ({ name }) => name,
})
