import type { Agent } from '@outdial/contract'
import type { Bundle, PlainOutputField, ZObject } from 'zapier-platform-core'
import { type ApiList, hasId, readList } from './client.ts'
import { calls } from './flat-call.ts'
import { nameToLabel } from './title-case.ts'
import { isKeyPart, isObject, toText } from './values.ts'

/** Number of calls that are read. One isn't enough, because an agent doesn't extract every value in every call. */
const limit = 10

/** Maximum number of agents whose results are read. */
const maxAgents = 100

/** An agent, perhaps from an earlier version of the API, which doesn't list results. */
type ListedAgent = Omit<Agent, 'results'> & Partial<Pick<Agent, 'results'>>

const agents: ApiList<ListedAgent> = {
  path: '/agents/',
  isItem: (value): value is ListedAgent => isObject(value) && hasId(value),
}

/**
 * Returns a field for each result of the chosen agent, or of all Live agents, and for each other value that agents extracted
 * from the newest answered calls of the chosen campaign and agent. The step's sample call may lack some of these values.
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

/** Reads names. Returns none if they can't be read. */
async function orNone(z: ZObject, read: () => Promise<string[]>): Promise<string[]> {
  try {
    return await read()
  } catch (error) {
    // For this error, Zapier refreshes the token and asks for the fields again.
    if (error instanceof z.errors.RefreshAuthError) throw error
    return []
  }
}

/** Returns an ID. Names aren't looked up here, so for a name, the field doesn't narrow down the calls or agents. */
const readId = (value: unknown): string | undefined => /^\d+$/.exec(toText(value).trim())?.[0]

const toField = (name: string): PlainOutputField => ({
  key: `extracted__${name}`,
  label: `Extracted: ${nameToLabel(name)}`,
})
