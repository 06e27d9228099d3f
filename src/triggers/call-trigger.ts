import type { Call, CallCompletedEvent } from '@outdial/contract'
import type { Bundle, PlainInputField, Trigger, ZObject } from 'zapier-platform-core'
import { readList } from '../client.ts'
import { invalidInput } from '../errors.ts'
import { listExtractedFields } from '../extracted-fields.ts'
import { calls, completedCallFields, flattenCall, isCall, withoutQueuedOnly } from '../flat-call.ts'
import { type FilterInput, subscribe, unsubscribe } from '../hooks.ts'
import { isObject } from '../values.ts'

interface CallTrigger<Key extends string, Fields extends PlainInputField[]> {
  key: Key
  display: Trigger['display']
  inputFields: Fields
  /** Returns the calls that trigger. `GET /calls/` and subscriptions have the same filters. */
  readFilter: (z: ZObject, bundle: Bundle) => Promise<FilterInput>
  /** Returns false for a call that doesn't trigger. An API that doesn't know a filter yet sends all calls. */
  isWanted?: (call: Call) => boolean
  sample: object
}

/** Defines a trigger for completed calls. All of them subscribe to the same event, each with its filter. */
export function defineCallTrigger<const Key extends string, Fields extends PlainInputField[]>({
  key,
  display,
  inputFields,
  readFilter,
  isWanted = () => true,
  sample,
}: CallTrigger<Key, Fields>) {
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
    // Zapier then doesn't run the Zap.
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
