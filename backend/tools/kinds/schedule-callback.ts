import * as z from 'zod'
import {
  checkCallbackTime,
  queueCallback,
  type RequestedCallback,
  type ScheduledCallback,
} from '../../queue/contacts/queue-callback.ts'
import { formatLocalTime } from '../../queue/scheduling/local-time.ts'
import { getOwnContact, textArgument } from './tool-arguments.ts'
import { dryRunResult, failedResult, textResult, type ToolKind } from './tool-kind.ts'

/** Schedules another call to the person on this call, at the time they ask for. */
export const scheduleCallback: ToolKind = {
  kind: 'schedule_callback',
  settings: z.strictObject({}),
  config: z.strictObject({}),
  hasEffects: true,
  builtIn: {
    name: 'schedule_callback',
    description:
      "Schedule another call to the person on this call when they ask to be called back. Returns the callback time in the person's local time. Read this time out to them.",
    inputSchema: {
      type: 'object',
      properties: {
        at: {
          type: 'string',
          minLength: 1,
          maxLength: 64,
          description:
            "Date and time in the person's local time, for example 2026-05-07T15:30. A UTC offset, as in 2026-05-07T15:30-04:00, overrides the person's time zone.",
        },
      },
      required: ['at'],
      additionalProperties: false,
    },
  },
  run: async (deps, use) => {
    if (use.call === undefined && use.chat === undefined) return failedResult('no_call_to_repeat')
    const at = textArgument(use, 'at')
    if (at === undefined) return failedResult('time_missing')
    const { workspaceId } = use.row
    if (use.call === undefined) {
      const contactId = getOwnContact(use)?.id
      return dryRunResult(use, formatInChat(await checkCallbackTime(deps, workspaceId, { contactId, at })))
    }
    const call = { ...use.call, workspaceId, agentId: use.agentId }
    const callback = await queueCallback(deps, call, { at, dryRun: use.dryRun })
    return use.dryRun ? dryRunResult(use, formatDryRun(callback)) : textResult(formatScheduled(callback))
  },
}

const formatDryRun = ({ requestedTime, timeZone }: RequestedCallback) =>
  `The callback would have been scheduled for ${formatLocalTime(requestedTime, timeZone)}.`

const formatInChat = ({ requestedTime, timeZone }: RequestedCallback) =>
  `A chat has no campaign. In a call, the callback would be scheduled for ${formatLocalTime(requestedTime, timeZone)}.`

function formatScheduled({ requestedTime, scheduledTime, timeZone }: ScheduledCallback): string {
  const at = scheduledTime ?? requestedTime
  const confirmation = `Callback scheduled for ${formatLocalTime(at, timeZone)}`
  return at > requestedTime
    ? `${confirmation} instead, because calls aren't allowed at the requested time.`
    : `${confirmation}.`
}
