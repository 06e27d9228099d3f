import type { CallCompletedEvent } from '@outdial/contract'
import { type Bundle, defineInputFields, type Trigger, type ZObject } from 'zapier-platform-core'
import { readList } from '../client.ts'
import { invalidInput } from '../errors.ts'
import { listExtractedFields } from '../extracted-fields.ts'
import { calls, type FlatCall, flattenCall, isCall } from '../flat-call.ts'
import { callCompletedTexts as texts, callFields, outcomeChoices, sampleCall } from '../generated.ts'
import { type FilterInput, subscribe, unsubscribe } from '../hooks.ts'
import { agents, campaigns } from '../lists.ts'
import { readInput, yesOrNo } from '../read-input.ts'
import { isObject } from '../values.ts'

const inputFields = defineInputFields([
  {
    key: 'campaign_id',
    ...texts.campaign_id,
    dynamic: 'campaigns.id.label',
  },
  {
    key: 'agent_id',
    ...texts.agent_id,
    dynamic: 'agents.id.label',
  },
  {
    key: 'outcome',
    ...texts.outcome,
    list: true,
    choices: outcomeChoices,
  },
  { key: 'goal_met', ...texts.goal_met, choices: yesOrNo },
  { key: 'include_test_calls', ...texts.include_test_calls, choices: yesOrNo },
])

const readFilter = async (z: ZObject, bundle: Bundle): Promise<FilterInput> => {
  const input = readInput(z, bundle, inputFields)
  return {
    campaign_id: await input.id('campaign_id', campaigns),
    agent_id: await input.id('agent_id', agents),
    outcome: input.choices('outcome', outcomeChoices),
    goal_met: input.yesOrNo('goal_met'),
    test: input.yesOrNo('include_test_calls') ? undefined : 'exclude',
  }
}

export const performSubscribe = async (z: ZObject, bundle: Bundle) =>
  subscribe(z, bundle, { event: 'call.completed', filter: await readFilter(z, bundle) }, inputFields)

/** Returns the newest completed calls, in the shape that the hook sends. Zapier tests the trigger with them. */
export const performList = async (z: ZObject, bundle: Bundle): Promise<FlatCall[]> => {
  const query = { status: 'completed', ...(await readFilter(z, bundle)), limit: 10 }
  const page = await readList(z, calls, query, { inputFields })
  return page.results.map((call) => flattenCall(z, call))
}

/** Returns the call of a delivery. Without a delivery, as with the CLI's `invoke`, returns the newest calls. */
export const perform = async (z: ZObject, bundle: Bundle): Promise<FlatCall[]> => {
  if (bundle.rawRequest === undefined && bundle.cleanedRequest === undefined) return performList(z, bundle)
  const event: unknown = bundle.cleanedRequest
  if (!isCallCompleted(event)) {
    throw invalidInput(
      z,
      "Outdial sent data that isn't a completed call, so this event was skipped. If this keeps happening, contact Outdial support.",
    )
  }
  return [flattenCall(z, event.data)]
}

const isCallCompleted = (event: unknown): event is CallCompletedEvent =>
  isObject(event) && event.type === 'call.completed' && isCall(event.data)

export const callCompleted = {
  key: 'call_completed',
  noun: 'Call',
  display: {
    label: 'Call Completed',
    description: 'Triggers when a call is completed, regardless of its outcome.',
  },
  operation: {
    type: 'hook',
    inputFields,
    perform,
    performList,
    performSubscribe,
    performUnsubscribe: unsubscribe,
    sample: sampleCall,
    outputFields: [...callFields, listExtractedFields],
  },
} satisfies Trigger
