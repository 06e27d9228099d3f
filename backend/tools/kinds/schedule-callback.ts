import * as z from 'zod'
import { queueCallback, type ScheduledCallback } from '../../contacts/queue-callback.ts'
import { formatLocalTime } from '../../scheduling/local-time.ts'
import { textArgument } from './tool-arguments.ts'
import { dryRunResult, errorResult, textResult, type ToolKind } from './tool-kind.ts'

/** Calls the person of this call again at the time that they ask for. */
export const scheduleCallback: ToolKind = {
  kind: 'schedule_callback',
  settings: z.strictObject({}),
  config: z.strictObject({}),
  hasEffects: true,
  builtIn: {
    name: 'schedule_callback',
    description:
      'Plans another call to the person on this call, for when they ask to be called back. Answers when it will be in their local time: read that out to them.',
    inputSchema: {
      type: 'object',
      properties: {
        at: {
          type: 'string',
          minLength: 1,
          maxLength: 64,
          description:
            "Date and time in the person's own local time, such as 2026-05-07T15:30. With an offset, such as 2026-05-07T15:30-04:00, it is that moment.",
        },
      },
      required: ['at'],
      additionalProperties: false,
    },
  },
  run: async (deps, use) => {
    if (use.call === undefined) {
      return errorResult('This session belongs to no call, so that there is nobody to call back.')
    }
    const at = textArgument(use, 'at')
    if (at === undefined) return errorResult('No time was given: say in at when the person is to be called.')

    const call = { ...use.call, workspaceId: use.row.workspaceId }
    const callback = await queueCallback(deps, call, { at, dryRun: use.dryRun })
    return use.dryRun ? dryRunResult(formatDryRun(callback)) : textResult(formatPlanned(callback))
  },
}

const formatDryRun = ({ requestedTime, timeZone }: ScheduledCallback) =>
  `The call-back would have been planned for ${formatLocalTime(requestedTime, timeZone)}.`

function formatPlanned({ requestedTime, scheduledTime, timeZone }: ScheduledCallback): string {
  const at = scheduledTime ?? requestedTime
  const plan = `The call-back is planned for ${formatLocalTime(at, timeZone)}`
  return at > requestedTime ? `${plan}: at the time asked for, calling is not permitted.` : `${plan}.`
}
