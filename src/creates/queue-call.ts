import { createHash } from 'node:crypto'
import type { AddContact, ContactAdded } from '@outdial/contract'
import type { Bundle, Create, ZObject } from 'zapier-platform-core'
import { readDoNotCall } from '../../reading/yes-no.ts'
import { callApi } from '../client.ts'
import { listExtractedFields } from '../extracted-fields.ts'
import { flattenQueuedCall, isCall } from '../flat-call.ts'
import { callFields, queuedFields, sampleQueuedCall } from '../generated.ts'
import { campaigns } from '../lists.ts'
import { readInput } from '../read-input.ts'
import { toText } from '../values.ts'
import { addNumbers, optOutOptions } from './add-to-do-not-call-list.ts'
import { listCampaignFields, readVariableFields } from './campaign-fields.ts'
import { ifAlreadyQueued, inputFieldGroups, inputFields } from './queue-call-fields.ts'

/**
 * Queues a call with what the user filled in. If the person must not be called, their numbers are added to the do-not-call
 * list, even if other fields can't be read.
 *
 * @param wait.callbackUrl where Outdial also sends the call when it's completed
 * @param wait.checkTime throws if the call is scheduled too late to wait for it; not used if the person must not be called
 */
export async function queueCallFrom(
  z: ZObject,
  bundle: Bundle,
  wait: { callbackUrl?: string | undefined; checkTime?: (scheduledAt: string) => void } = {},
) {
  const input = readInput(z, bundle, inputFields)
  const isTest = bundle.meta.isLoadingSample
  const doNotCall = input.yesOrNo('do_not_call', readDoNotCall)
  // A test doesn't block the number, because only a member could remove it from the list.
  const blocks = doNotCall === true && !isTest
  const number = input.phoneNumber({ allowsSeveral: doNotCall })
  const { callbackUrl } = wait
  const readTime = () => {
    const time = input.dateTime('scheduled_at')
    if (time !== undefined && !blocks) wait.checkTime?.(time)
    return time
  }
  // In the Zap editor, a step rings a phone only if Test Call is No, and never that of someone who must not be called.
  const readTest = () => {
    const test = input.yesOrNo('test') ?? (isTest ? true : undefined)
    return isTest && doNotCall ? true : test
  }
  const readBody = async () =>
    ({
      campaign_id: await input.id('campaign_id', campaigns),
      ...number,
      first_name: input.text('first_name'),
      last_name: input.text('last_name'),
      email: input.text('email'),
      external_id: input.text('external_reference'),
      time_zone: input.timeZone('time_zone'),
      variables: input.dictionary('variables'),
      scheduled_at: readTime(),
      if_already_queued: input.choice('if_already_queued', ifAlreadyQueued),
      test: readTest(),
      consent: {
        source: input.text('consent_source'),
        at: input.dateTime('consent_at', { orAsTyped: true }),
        kind: input.consentKind('consent_kind'),
      },
      do_not_call: isTest ? undefined : doNotCall,
      metadata: input.dictionary('metadata'),
      callback_url: callbackUrl,
      lenient: true,
    }) satisfies { [Field in keyof AddContact]: unknown }
  const body = await readBody().catch(async (error: unknown) => {
    if (blocks) await addNumbers(z, number)
    throw error
  })
  // A test doesn't use up the key, because the next test and the real run can have other data.
  const key = isTest ? undefined : input.text('deduplication_key')
  const allFields = [...inputFields, ...readVariableFields(bundle)]
  const response = await callApi<ContactAdded>(
    z,
    {
      method: 'POST',
      path: '/contacts/',
      body,
      headers: ({ campaign_id }) => idempotencyHeader(campaign_id, key),
      inputFields: allFields,
      otherIds: { campaign_id: input.idByName('campaign_id', campaigns) },
      ...(blocks
        ? optOutOptions
        : {
            haltsOnInvalidData: true,
            // With a callback URL, the request isn't idempotent: each run of the step adds another URL, and a call can have
            // only five.
            isIdempotent: key !== undefined && callbackUrl === undefined,
            haltsIfUncertain: true,
            ifUncertain:
              'The call may already be queued. Check Calls in Outdial before you run this step again.',
          }),
    },
    ({ call }) => isCall(call),
  )
  return flattenQueuedCall(z, response, allFields)
}

/**
 * Returns the header with a hash of the campaign and the key. Includes the campaign, because two Zaps for the same form can use
 * its entries' IDs as keys, each for another campaign. Hashes both, because headers take only Latin-1, and the user's key can
 * be any text.
 */
function idempotencyHeader(campaignId: unknown, key: string | undefined): Record<string, string> {
  if (key === undefined) return {}
  const hash = createHash('sha256').update(`${toText(campaignId)}\n${key}`)
  return { 'Idempotency-Key': `zap-${hash.digest('hex')}` }
}

const perform = (z: ZObject, bundle: Bundle) => queueCallFrom(z, bundle)

const afterCampaign = inputFields.findIndex(({ key }) => key === 'campaign_id') + 1

/** What the steps that queue a call have in common. */
export const queueCallOperation = {
  inputFieldGroups,
  inputFields: [
    ...inputFields.slice(0, afterCampaign),
    listCampaignFields,
    ...inputFields.slice(afterCampaign),
  ],
  // Stays below the API's own limit, so that an import of many rows is spread out instead of rejected.
  throttle: { window: 60, limit: 500, scope: ['auth'] },
  outputFields: [...callFields, ...queuedFields, listExtractedFields],
} satisfies Partial<Create['operation']>

export const queueCall = {
  key: 'queue_call',
  noun: 'Call',
  display: {
    label: 'Queue Call',
    description:
      "Queues a voice agent's call to a person and saves the contact; set Test Call to Yes to simulate it.",
  },
  operation: { ...queueCallOperation, perform, sample: sampleQueuedCall },
} satisfies Create
