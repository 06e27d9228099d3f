import type { Call } from '@outdial/contract'
import type { Bundle, Create, ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { invalidInput } from '../errors.ts'
import { type FlatQueuedCall, flattenCall, isCall } from '../flat-call.ts'
import { sampleCall, sampleQueuedCall } from '../generated.ts'
import { isObject } from '../values.ts'
import { queueCallFrom, queueCallOperation } from './queue-call.ts'

/** How many days ahead a call may be due. Zapier waits for 30 days, and a call can wait for 7 days before it expires. */
export const maxDaysAhead = 22

/** Queues a call, and holds the Zap until Outdial sends the completed call to the callback URL. */
const perform = (z: ZObject, bundle: Bundle): Promise<FlatQueuedCall> =>
  queueCallFrom(z, bundle, {
    // In the Zap editor, a step can't wait, so it returns the call as it was queued.
    callbackUrl: bundle.meta.isLoadingSample ? undefined : z.generateCallbackUrl(),
    checkTime: (scheduledAt) => {
      if (Date.parse(scheduledAt) <= Date.now() + maxDaysAhead * 86_400_000) return
      throw invalidInput(
        z,
        `Earliest Call Time is more than ${maxDaysAhead} days ahead, which is longer than Zapier can wait for the result. Choose an earlier time, or use Queue Call and the Call Completed trigger instead.`,
      )
    },
  })

/**
 * Returns the completed call. Reads it from the API, because anyone who knows the callback URL can send anything to it.
 */
const performResume = async (z: ZObject, bundle: Bundle): Promise<FlatQueuedCall> => {
  const { id, contact_created, call_queued, warnings } = bundle.outputData as FlatQueuedCall
  const event: unknown = bundle.cleanedRequest
  if (!isObject(event) || !isObject(event.data) || event.data.id !== id) {
    throw invalidInput(
      z,
      'Outdial sent the result of another call. Open Calls in Outdial to see the result of this one.',
    )
  }
  const call = await readCall(z, id)
  if (call.status !== 'completed') {
    throw invalidInput(z, "The call isn't completed yet. Open Calls in Outdial to see its result later.")
  }
  return { ...flattenCall(z, call), contact_created, call_queued, warnings }
}

/** Reads the call, and tries again if that fails: if a user replays a run that failed here, Zapier queues another call. */
async function readCall(z: ZObject, id: number): Promise<Call> {
  const read = () => callApi<Call>(z, { method: 'GET', path: `/calls/${id}/` }, isCall)
  const isExpired = (error: unknown) => error instanceof z.errors.RefreshAuthError
  try {
    return await read().catch((error: unknown) => (isExpired(error) ? Promise.reject(error) : read()))
  } catch (error) {
    if (isExpired(error)) throw error
    throw invalidInput(
      z,
      `The call is completed, but its result couldn't be read. Don't replay this run, because that can queue another call. To get the result, open call ${id} in Outdial, or use Find Call with this ID.`,
    )
  }
}

export const queueCallAndWait = {
  key: 'queue_call_and_wait',
  noun: 'Call',
  display: {
    label: 'Queue Call and Wait for Result',
    description:
      "Queues a voice agent's call to a person and waits for its result; set Test Call to Yes to simulate.",
  },
  operation: {
    ...queueCallOperation,
    perform,
    performResume,
    sample: { ...sampleCall, contact_created: true, call_queued: true, warnings: sampleQueuedCall.warnings },
  },
} satisfies Create
