import type { Call } from '@outdial/contract'
import type { Bundle, Create, ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { invalidInput } from '../errors.ts'
import { type FlatQueuedCall, flattenCall, isCall } from '../flat-call.ts'
import { sampleCall } from '../generated.ts'
import { isObject } from '../values.ts'
import { queueCallFrom, queueCallOperation } from './queue-call.ts'

/** Queues a call, and holds the Zap until Outdial sends the completed call to the callback URL. */
export const perform = (z: ZObject, bundle: Bundle): Promise<FlatQueuedCall> =>
  // In the Zap editor, a step can't wait, so it returns the call as it was queued.
  queueCallFrom(z, bundle, bundle.meta.isLoadingSample ? undefined : z.generateCallbackUrl())

/**
 * Returns the completed call. Anyone who knows the callback URL can send anything to it, so the call comes from the API.
 */
export const performResume = async (z: ZObject, bundle: Bundle): Promise<FlatQueuedCall> => {
  const { id, contact_created, call_queued } = bundle.outputData as FlatQueuedCall
  const event: unknown = bundle.cleanedRequest
  if (!isObject(event) || !isObject(event.data) || event.data.id !== id) {
    throw invalidInput(
      z,
      'Outdial sent the result of another call. Open Calls in Outdial to see the result of this one.',
    )
  }
  const call = await callApi<Call>(z, { method: 'GET', path: `/calls/${id}/` }, isCall)
  if (call.status !== 'completed') {
    throw invalidInput(z, "The call isn't completed yet. Open Calls in Outdial to see its result later.")
  }
  return { ...flattenCall(z, call), contact_created, call_queued }
}

export const queueCallAndWait = {
  key: 'queue_call_and_wait',
  noun: 'Call',
  display: {
    label: 'Queue Call and Wait for Result',
    description:
      'Queues a phone call from a voice agent to a person, and continues when the call is completed.',
  },
  operation: {
    ...queueCallOperation,
    perform,
    performResume,
    sample: { ...sampleCall, contact_created: true, call_queued: true },
  },
} satisfies Create
