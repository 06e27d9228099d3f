import type { Agent } from '@outdial/contract'
import type { Bundle, PlainOutputField, ZObject } from 'zapier-platform-core'
import { type ApiList, hasId, readList } from './client.ts'
import { calls } from './flat-call.ts'
import { nameToLabel } from './title-case.ts'
import { isKeyPart, isObject, toText } from './values.ts'

/** Enough calls to see every value, because an agent doesn't extract each of them in each call. */
const limit = 10

/** The most that the API lists at once. */
const maxAgents = 100

/** An earlier version of the API doesn't list results. */
type ListedAgent = Omit<Agent, 'results'> & Partial<Pick<Agent, 'results'>>

const agents: ApiList<ListedAgent> = {
  path: '/agents/',
  isItem: (value): value is ListedAgent => isObject(value) && hasId(value),
}

/**
 * Returns a field for each result of the chosen agent, or of all Live agents, and for each other value that agents extracted
 * from the newest answered calls of the chosen campaign and agent. The sample call of a step may lack them.
 *
 * Steps also work without these fields, so no error is shown if agents and calls can't be read.
 */
export async function listExtractedFields(z: ZObject, { inputData }: Bundle): Promise<PlainOutputField[]> {
  const agentId = readId(inputData.agent_id)
  const query = {
    outcome: 'answered',
    campaign_id: readId(inputData.campaign_id),
    agent_id: agentId,
    limit,
  }
  const [declared, found] = await Promise.all([
    orNone(z, () => listResultNames(z, agentId)),
    orNone(z, async () =>
      (await readList(z, calls, query)).results.flatMap(({ extracted }) => Object.keys(extracted)),
    ),
  ])
  return [...new Set([...declared, ...found])].filter(isKeyPart).map(toField)
}

/** Returns the names of the results of an agent, or of all Live agents. */
async function listResultNames(z: ZObject, agentId: string | undefined): Promise<string[]> {
  const { results } = await readList(z, agents, { limit: maxAgents })
  return results
    .filter(({ id }) => agentId === undefined || String(id) === agentId)
    .flatMap((agent) => agent.results ?? [])
    .map(({ name }) => name)
}

/** Returns no names if they can't be read. */
async function orNone(z: ZObject, read: () => Promise<string[]>): Promise<string[]> {
  try {
    return await read()
  } catch (error) {
    // Zapier then refreshes the token and asks for the fields again.
    if (error instanceof z.errors.RefreshAuthError) throw error
    return []
  }
}

/** A name that was typed isn't looked up here: the fields of all calls are offered then. */
const readId = (value: unknown): string | undefined => /^\d+$/.exec(toText(value).trim())?.[0]

const toField = (name: string): PlainOutputField => ({
  key: `extracted__${name}`,
  label: `Extracted: ${nameToLabel(name)}`,
})
