import type { Call, CallCompletedEvent, CallList } from '@outdial/contract'
import { type Bundle, defineInputFields, type Trigger, type ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { withoutContext } from '../errors.ts'
import { callCompletedTexts as texts, callFields, outcomeChoices, sampleCall } from '../generated.ts'
import { subscribe, unsubscribe } from '../hooks.ts'
import { toInteger, toList } from '../values.ts'

const inputFields = defineInputFields([
  {
    key: 'campaign_id',
    ...texts.campaign_id,
    type: 'integer',
    dynamic: 'campaigns.id.label',
  },
  {
    key: 'agent_id',
    ...texts.agent_id,
    type: 'integer',
    dynamic: 'agents.id.label',
  },
  {
    key: 'outcome',
    ...texts.outcome,
    list: true,
    choices: outcomeChoices,
  },
])

const toFilter = (bundle: Bundle) => ({
  campaign_id: toInteger(bundle.inputData.campaign_id),
  agent_id: toInteger(bundle.inputData.agent_id),
  outcome: toList(bundle.inputData.outcome),
})

export const performSubscribe = (z: ZObject, bundle: Bundle) =>
  subscribe(z, bundle, { event: 'call.completed', filter: toFilter(bundle) })

/** Returns the newest completed calls, in the shape that the hook sends. Zapier tests the trigger with them. */
export const performList = async (z: ZObject, bundle: Bundle): Promise<Call[]> => {
  const query = { status: 'completed', ...toFilter(bundle), limit: 10 }
  const page = await callApi<CallList>(z, { method: 'GET', path: '/calls/', query })
  return page.results
}

/** Returns the call of a delivery. Without a delivery, as with the CLI's `invoke`, returns the newest calls. */
export const perform = async (z: ZObject, bundle: Bundle): Promise<Call[]> => {
  const event = bundle.cleanedRequest as Partial<CallCompletedEvent> | undefined
  if (event === undefined) return performList(z, bundle)
  if (event.data === undefined) {
    throw withoutContext(
      new z.errors.HaltedError(
        "Outdial sent data that isn't a completed call, so this event was skipped. If this keeps happening, contact Outdial support.",
      ),
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
      "Triggers when a call ends, or when a queued call won't be placed, for example because it was canceled.",
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
