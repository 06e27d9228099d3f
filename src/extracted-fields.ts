import type { Bundle, PlainOutputField, ZObject } from 'zapier-platform-core'
import { readList } from './client.ts'
import { calls } from './flat-call.ts'
import { nameToLabel } from './title-case.ts'
import { isKeyPart, toText } from './values.ts'

/** Enough calls to see every value, because an agent doesn't extract each of them in each call. */
const limit = 10

/**
 * Returns a field for each value that agents extracted from the newest answered calls of the chosen campaign and agent.
 * No agent declares these values, and the sample call of a step may lack them.
 *
 * Steps also work without these fields, so no error is shown if the calls can't be read.
 */
export async function listExtractedFields(z: ZObject, { inputData }: Bundle): Promise<PlainOutputField[]> {
  const query = {
    outcome: 'answered',
    campaign_id: readId(inputData.campaign_id),
    agent_id: readId(inputData.agent_id),
    limit,
  }
  try {
    const { results } = await readList(z, calls, query)
    const names = new Set(results.flatMap(({ extracted }) => Object.keys(extracted)))
    return [...names].filter(isKeyPart).map(toField)
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
