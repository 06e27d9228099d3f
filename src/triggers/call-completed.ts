import type { Call, CallCompletedEvent, CallList, CallOutcome } from '@outdial/contract'
import { type Bundle, defineInputFields, type Trigger, type ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { withoutContext } from '../errors.ts'
import { callFields, sampleCall } from '../generated.ts'
import { subscribe, unsubscribe } from '../hooks.ts'
import { toInteger, toList } from '../values.ts'

const outcomeLabels = {
  answered: 'Answered',
  voicemail: 'Voicemail',
  no_answer: 'No Answer',
  busy: 'Busy',
  declined: 'Declined',
  failed: 'Failed on the Line',
  suppressed: 'Suppressed (Do Not Call)',
  expired: 'Expired Before It Could Be Placed',
  canceled: 'Canceled',
} satisfies Record<CallOutcome, string>

const inputFields = defineInputFields([
  {
    key: 'campaign_id',
    label: 'Campaign',
    type: 'integer',
    dynamic: 'campaigns.id.label',
    helpText: 'Only calls of this campaign start the Zap. Leave it empty to hear of all of them.',
  },
  {
    key: 'agent_id',
    label: 'Agent',
    type: 'integer',
    dynamic: 'agents.id.label',
    helpText: 'Only calls that this agent made start the Zap. Leave it empty for every agent.',
  },
  {
    key: 'outcome',
    label: 'Outcomes',
    list: true,
    choices: outcomeLabels,
    helpText: 'Only calls that ended in one of these ways start the Zap. Leave it empty for every ending.',
  },
])

const toFilter = (bundle: Bundle) => ({
  campaign_id: toInteger(bundle.inputData.campaign_id),
  agent_id: toInteger(bundle.inputData.agent_id),
  outcome: toList(bundle.inputData.outcome),
})

export const performSubscribe = (z: ZObject, bundle: Bundle) =>
  subscribe(z, bundle, { event: 'call.completed', filter: toFilter(bundle) })

/** The newest completed calls, in the shape that the hook sends: Zapier tests the trigger with them. */
export const performList = async (z: ZObject, bundle: Bundle): Promise<Call[]> => {
  const query = { status: 'completed', ...toFilter(bundle), limit: 10 }
  const page = await callApi<CallList>(z, { method: 'GET', path: '/calls/', query })
  return page.results
}

/** The call that a delivery tells of. Without one, as under the CLI's `invoke`, the newest calls. */
export const perform = async (z: ZObject, bundle: Bundle): Promise<Call[]> => {
  const event = bundle.cleanedRequest as Partial<CallCompletedEvent> | undefined
  if (event === undefined) return performList(z, bundle)
  if (event.data === undefined) {
    throw withoutContext(
      new z.errors.HaltedError('Outdial sent something that is not a completed call, so it was left alone.'),
    )
  }
  return [event.data]
}

export const callCompleted = {
  key: 'call_completed',
  noun: 'Call',
  display: {
    label: 'Call Completed',
    description:
      'Triggers when a call is over: answered, not answered after its last attempt, or never placed.',
  },
  operation: {
    type: 'hook',
    inputFields,
    perform,
    performList,
    performSubscribe,
    performUnsubscribe: unsubscribe,
    sample: sampleCall,
    outputFields: callFields,
  },
} satisfies Trigger
