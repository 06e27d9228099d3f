import type { Warning } from '@outdial/contract'
import { fieldIssue } from '../../platform/core/errors.ts'
import { builtIns, findMissingNames, type GreetingContact } from '../calls/greeting.ts'
import { maxVariables } from './contact-input.ts'
import { toWarning } from './read-add-contact.ts'

/**
 * Matches variables with the names that the agent uses, and warns of the others, which the agent doesn't find. If the agent
 * lists no variables, matches nothing, because its runtime can use any name.
 *
 * @param options.renames saves a variable under the agent's name if only capitalization, spaces, `_`, or `-` differ. If two
 *   variables would get the same name, an exact match wins, and the other variable keeps its name.
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
 * Warns of each variable that the greeting uses without a fallback but the contact has no value for, even if the agent doesn't
 * list it. A variable that only the agent runtime's script uses gives no warning, because the script can do without it. Doesn't
 * check the greeting of an agent that lists no variables.
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

/** Leaves out new variables that would exceed the limit of a contact with these stored variables. */
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
