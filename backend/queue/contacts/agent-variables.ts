import type { Warning } from '@outdial/contract'
import { fieldIssue } from '../../platform/core/errors.ts'
import { builtIns, findMissingNames, type GreetingContact } from '../calls/greeting.ts'
import { maxVariables } from './contact-input.ts'
import { toWarning } from './read-add-contact.ts'

/**
 * Compares variables with the names that the agent uses: under another name, the agent says nothing in their place. An
 * agent that lists none isn't compared, because its runtime can use any.
 *
 * @param options.renames saves a variable under the agent's name if only capitalization, spaces, `_`, or `-` differ. If two
 *   have the same name then, the exact one wins, and the other keeps its name.
 */
export function matchVariables(
  variables: Readonly<Record<string, string>>,
  agentVariables: readonly string[],
  { renames }: { renames: boolean },
): { variables: Record<string, string>; warnings: Warning[] } {
  if (agentVariables.length === 0) return { variables: { ...variables }, warnings: [] }
  const exact = new Set(agentVariables)
  const agentNameOf = new Map(agentVariables.map((name) => [toKey(name), name]))
  const taken = new Set(Object.keys(variables).filter((name) => exact.has(name)))
  const warnings: Warning[] = []
  const entries = Object.entries(variables).map(([name, value]) => {
    const agentName = renames ? agentNameOf.get(toKey(name)) : undefined
    if (exact.has(name)) return [name, value] as const
    if (agentName !== undefined && !taken.has(agentName)) {
      taken.add(agentName)
      return [agentName, value] as const
    }
    warnings.push(fieldIssue(`variables.${name}`, 'unknown_variable'))
    return [name, value] as const
  })
  return { variables: Object.fromEntries(entries), warnings }
}

/**
 * Warns of variables that the greeting says without a fallback, and that the contact has no value for, whether or not the agent
 * lists them. One that only the script in the agent runtime uses gives no warning, because the script can do without it. The
 * greeting of an agent that lists no variables isn't checked.
 */
export const findMissingVariables = (
  { agentVariables, agentGreeting }: { agentVariables: readonly string[]; agentGreeting: string },
  contact: GreetingContact,
): Warning[] =>
  agentVariables.length === 0
    ? []
    : findMissingNames(agentGreeting, contact)
        .filter((name) => !builtIns.has(name))
        .map((name) => fieldIssue(`variables.${name}`, 'missing_value'))

/** Leaves out new variables that a contact with these stored ones has no room for. */
export function fitVariables(
  variables: Readonly<Record<string, string>>,
  storedNames: readonly string[],
): { variables: Record<string, string>; warnings: Warning[] } {
  const stored = new Set(storedNames)
  let free = maxVariables - stored.size
  const fitting = Object.entries(variables).filter(([name]) => stored.has(name) || (free -= 1) >= 0)
  return {
    variables: Object.fromEntries(fitting),
    warnings:
      free < 0 ? [toWarning(fieldIssue('variables', 'too_big.variables', { limit: maxVariables }))] : [],
  }
}

const toKey = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')
