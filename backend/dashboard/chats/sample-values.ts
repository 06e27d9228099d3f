import type { AgentValues } from '../../queue/agents/agent-values.ts'

/** The names that the form for a new chat fills in. The member can change them. */
export const sampleContact = { first_name: 'Maya', last_name: 'Okafor' }

/** Plausible values, by words in a variable's name. The first match counts. */
const samples: readonly [RegExp, string][] = [
  [/email/, 'maya@example.com'],
  [/phone|mobile/, '+1 202 555 0100'],
  [/(^|_)(zip|postcode|postal)/, '20001'],
  [/street|address/, '12 Oak Street'],
  [/city|town/, 'Washington'],
  [/company|employer|organization/, 'Oak & Pine'],
  [/time|hour/, '10:30 AM'],
  [/date/, 'June 3'],
  [/day/, 'Tuesday'],
  [/month/, 'June'],
  [/price|cost|amount|budget|fee|total|balance/, '$450'],
  [/number|count|quantity|how_many/, '3'],
  [/product|topic|service|interest/, 'Roof inspection'],
  [/doctor|advisor|technician|consultant/, 'Dr. Lee'],
  [/name/, 'Maya Okafor'],
]

/** Returns a sample value for each variable of an agent, so that a member can start a chat without typing any. */
export const sampleVariables = ({ variables }: Pick<AgentValues, 'variables'>) =>
  variables.map((name) => ({ name, value: sampleOf(name) }))

function sampleOf(variable: string): string {
  const name = variable.toLowerCase()
  const [, sample] = samples.find(([pattern]) => pattern.test(name)) ?? []
  return sample ?? `Sample ${name.replaceAll('_', ' ')}`
}
