import { boundedText } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { invalidField } from '../../platform/core/form-errors.ts'
import { formatCount, formatPlural } from '../../platform/views/format.ts'
import { checks, type FormModel } from '../../platform/views/forms.ts'
import type { Slot } from '../../platform/views/html.ts'
import { countCallsToEnd, type RuleChange } from '../../queue/calls/reschedule-calls.ts'

/** The schema of `endsWaitingCallsField`, to spread into the schema of a form. */
export const endsWaitingCalls = { ends_waiting_calls: boundedText(64).optional() }

/**
 * Rejects a change that would end waiting calls, because ended calls can't be restored. The form then asks whether to end them.
 *
 * @throws {ApiError} validation_failed
 */
export async function requireNoEnds(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  workspaceId: number,
  change: RuleChange,
): Promise<void> {
  const found = await countCallsToEnd(deps, workspaceId, change)
  if (found.count === 0 && !found.isAtLeast) return
  throw invalidField('ends_waiting_calls', 'ends_calls', describeEnds(found))
}

function describeEnds({ count, isAtLeast }: Awaited<ReturnType<typeof countCallsToEnd>>): string {
  if (count === 0)
    return 'Too many calls are waiting to check them all, and this change may not allow some. To end those, check this box and save again.'
  const calls = isAtLeast
    ? `${formatCount(count)} or more waiting calls`
    : formatPlural(count, 'waiting call')
  const them = count === 1 && !isAtLeast ? 'it' : 'them'
  return `This change doesn't allow ${calls}. To end ${them}, check this box and save again.`
}

/** Shows the question whether to end waiting calls that a change of rules doesn't allow. Empty if nothing was asked. */
export const endsWaitingCallsField = (form: FormModel): Slot =>
  (form.issues.ends_waiting_calls !== undefined || form.submitted.ends_waiting_calls !== undefined) &&
  checks({
    form,
    name: 'ends_waiting_calls',
    label: 'Waiting calls',
    values: [],
    options: [
      {
        value: 'yes',
        label: "End waiting calls that this change doesn't allow",
        hint: 'Their outcome is “suppressed”.',
      },
    ],
  })
