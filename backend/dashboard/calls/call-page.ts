import { boundedText, type Call } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { getCall } from '../../queue/calls/get-calls.ts'
import { findNumberError } from '../../queue/contacts/call-contact.ts'
import { definePage } from '../page/define-page.ts'
import { IdParams } from '../page/page-context.ts'
import { pageNotFound } from '../page/page-errors.ts'
import { joinSentences } from '../page/queued-message.ts'
import { type CallHistory, readCallHistory } from '../stories/call-history.ts'
import { describeGreeting } from '../stories/describe-call.ts'
import { findRemedy } from '../stories/describe-waiting.ts'
import { toCallStory } from '../stories/read-story.ts'
import { describeAgainLimit } from './again-limit.ts'
import { CallsQuery, filterParams, toQueryString } from './call-filter.ts'
import { type CallData, callView } from './call-view.ts'

export const callPage = definePage({
  params: IdParams,
  query: z.object({ list: boundedText(2_000).catch('') }),
  show: async (deps, context) => {
    const call = await getCall(deps, context.caller, context.params.id)
    const list = CallsQuery.parse(Object.fromEntries(new URLSearchParams(context.query.list)))
    const listQuery = toQueryString(filterParams(list))
    return callView(`Call ${call.id}`, { ...(await readPage(deps, call, context.workspace)), listQuery })
  },
})

async function readPage(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  call: Call,
  workspace: { id: number; name: string; timeZone: string },
): Promise<Omit<CallData, 'listQuery'>> {
  const history = await readCallHistory(deps, workspace, call)
  if (history === undefined) throw pageNotFound() // the workspace was just deleted
  const { sentences, steps } = toCallStory(history, workspace, deps.clock.now())
  const [cause = '', ...others] = sentences
  const greetingIssues = describeGreeting(history)
  const canQueueAgain =
    call.status === 'completed' &&
    call.to_number !== '' &&
    history.details.campaign_status !== 'archived' &&
    (await findNumberError(deps, workspace.id, { phoneNumber: call.to_number, test: call.test })) === null
  const limit =
    canQueueAgain && !call.test
      ? await describeAgainLimit(deps, {
          workspaceId: workspace.id,
          contactId: call.contact.id,
          campaignId: call.campaign_id,
        })
      : null
  return {
    history,
    cause,
    greetingIssues,
    notes: others.filter((sentence) => !greetingIssues.includes(sentence)),
    links: toLinks(history),
    steps,
    canQueueAgain,
    againDetail: call.test
      ? 'A test call is queued. No phone rings.'
      : joinSentences(
          `A call to ${call.to_number} is queued in the campaign “${call.campaign_name}”.`,
          limit,
        ),
    isAgainLimited: limit !== null,
  }
}

/** Links to where a person can resolve a waiting call, and to the calls that put the number on the do-not-call list. */
function toLinks({ call, wait, doNotCall }: CallHistory): CallData['links'] {
  const remedy = wait && findRemedy(wait)
  if (remedy) return [remedy]
  if (call.ended_reason !== 'do_not_call') return []
  const calls = (doNotCall?.addedBy ?? []).flatMap(({ text, path }) =>
    path !== undefined && /^.calls.\d+$/.test(path) ? [{ path, label: `Open ${text}` }] : [],
  )
  return [{ path: `/contacts/${call.contact.id}`, label: 'Open contact' }, ...calls]
}
