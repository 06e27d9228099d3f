import type { Call, CallCompletedEvent } from '@outdial/contract'
import {
  type Bundle,
  defineInputFields,
  type PlainInputField,
  type Trigger,
  type ZObject,
} from 'zapier-platform-core'
import { readList } from '../client.ts'
import { invalidInput } from '../errors.ts'
import { listExtractedFields } from '../extracted-fields.ts'
import { calls, completedCallFields, flattenCall, isCall, withoutQueuedOnly } from '../flat-call.ts'
import { callCompletedTexts as texts } from '../generated.ts'
import { type FilterInput, subscribe, unsubscribe } from '../hooks.ts'
import { agents, campaigns } from '../lists.ts'
import { readInput } from '../read-input.ts'
import { isObject } from '../values.ts'

interface CallTrigger<Key extends string> {
  key: Key
  display: Trigger['display']
  /** The fields that follow Campaign and Agent. */
  inputFields?: PlainInputField[]
  /** Returns the filters other than Campaign and Agent. `GET /calls/` and subscriptions have the same filters. */
  readFilter: (input: ReturnType<typeof readInput>) => FilterInput
  /** Returns false for a call that doesn't trigger. Earlier versions of the API don't know every filter, and send all calls. */
  isWanted?: (call: Call) => boolean
  sample: object
}

/** Every trigger for calls has these fields. */
const callerFields = defineInputFields([
  { key: 'campaign_id', ...texts.campaign_id, dynamic: 'campaigns.id.label' },
  { key: 'agent_id', ...texts.agent_id, dynamic: 'agents.id.label' },
])

/** Defines a trigger for completed calls. All such triggers subscribe to the same event, each with its own filter. */
export function defineCallTrigger<const Key extends string>({
  key,
  display,
  inputFields: otherFields = [],
  readFilter: readOtherFilter,
  isWanted = () => true,
  sample,
}: CallTrigger<Key>) {
  const inputFields = [...callerFields, ...otherFields]

  const readFilter = async (z: ZObject, bundle: Bundle): Promise<FilterInput> => {
    const input = readInput(z, bundle, inputFields)
    return {
      campaign_id: await input.id('campaign_id', campaigns),
      agent_id: await input.id('agent_id', agents),
      ...readOtherFilter(input),
    }
  }

  const performSubscribe = async (z: ZObject, bundle: Bundle) =>
    subscribe(z, bundle, { event: 'call.completed', filter: await readFilter(z, bundle) }, inputFields)

  /** Returns the newest completed calls, in the shape that the hook sends. Zapier tests the trigger with them. */
  const performList = async (z: ZObject, bundle: Bundle): Promise<object[]> => {
    const query = { status: 'completed', ...(await readFilter(z, bundle)), limit: 10 }
    const page = await readList(z, calls, query, { inputFields })
    return page.results.filter(isWanted).map((call) => withoutQueuedOnly(flattenCall(z, call)))
  }

  /** Returns the call of a delivery. Without a delivery, as with the CLI's `invoke`, returns the newest calls. */
  const perform = async (z: ZObject, bundle: Bundle): Promise<object[]> => {
    if (bundle.rawRequest === undefined && bundle.cleanedRequest === undefined) return performList(z, bundle)
    const event: unknown = bundle.cleanedRequest
    if (isCallCompleted(event))
      return isWanted(event.data) ? [withoutQueuedOnly(flattenCall(z, event.data))] : []
    // For an empty list, Zapier doesn't run the Zap.
    if (isOtherEvent(event)) return []
    throw invalidInput(
      z,
      "Outdial sent data that isn't a completed call, so this event was skipped. If this keeps happening, contact Outdial support.",
    )
  }

  return {
    key,
    noun: 'Call',
    display,
    operation: {
      type: 'hook',
      inputFields,
      perform,
      performList,
      performSubscribe,
      performUnsubscribe: unsubscribe,
      sample: withoutQueuedOnly(sample),
      outputFields: [...completedCallFields, listExtractedFields],
    },
  } satisfies Trigger
}

const isCallCompleted = (event: unknown): event is CallCompletedEvent =>
  isObject(event) && event.type === 'call.completed' && isCall(event.data)

const isOtherEvent = (event: unknown): boolean =>
  isObject(event) && typeof event.type === 'string' && event.type !== 'call.completed'
