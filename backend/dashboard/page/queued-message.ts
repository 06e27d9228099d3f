import { endedReasonTexts } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { createTimeFormats } from '../../platform/views/format.ts'
import { findCall } from '../../queue/calls/get-calls.ts'
import { findWaits } from '../../queue/calls/when-and-why.ts'
import { describeWait } from '../stories/describe-waiting.ts'

/** Returns the message after a call was queued: when the call is placed, what must happen first, or why it isn't placed. */
export async function formatQueued(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  workspace: { id: number; timeZone: string },
  callId: number,
): Promise<string> {
  const now = deps.clock.now()
  const wait = (await findWaits(deps, workspace.id, [callId], now)).get(callId)
  if (wait === undefined) {
    const call = await findCall(deps, workspace.id, callId, now)
    if (call?.outcome !== 'suppressed' || call.ended_reason === null) return 'Call queued.' // already claimed
    return `The call isn't placed. ${endedReasonTexts[call.ended_reason].meaning}`
  }
  const queued = wait.call.test ? 'Test call queued. No phone rings.' : 'Call queued.'
  return `${queued} ${describeWait(wait, now, createTimeFormats(now, workspace.timeZone), deps.config)}`
}

/** Joins a message with another sentence, if there is one. */
export const joinSentences = (message: string, sentence: string | null): string =>
  sentence === null ? message : `${message} ${sentence}`
