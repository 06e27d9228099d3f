import type { Deps } from '../../deps.ts'
import { createTimeFormats } from '../../platform/views/format.ts'
import type { findDoNotCallEntry } from '../../queue/calls/check-do-not-call.ts'
import { describeActor, type LinkedText, toText } from './describe-actor.ts'
import { type Step, step, type StoryWorkspace } from './story.ts'

/**
 * The sources of entries that don't say who added them, such as those of a contact that was erased or removed with its
 * import.
 */
const sources = {
  api: 'over the API',
  dashboard: 'in the dashboard, by a member or an import',
  call: 'by the agent during a call',
}

/** The entry of a number on the do-not-call list: who added it, when, and why. */
export interface ListedNumber {
  /** The end of a sentence: "put on the do-not-call list on May 4, 2026 by Robin. Reason: Asked by email". */
  text: string
  /** Who or what added the number; null for an entry that doesn't say. */
  addedBy: LinkedText | null
  step: Step
}

/** Describes an entry of the do-not-call list. The day is in the workspace's time zone. */
export async function describeDoNotCall(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspace: Pick<StoryWorkspace, 'id' | 'timeZone'>,
  entry: NonNullable<Awaited<ReturnType<typeof findDoNotCallEntry>>>,
): Promise<ListedNumber> {
  const { source, reason, since } = entry
  const addedBy = entry.addedBy && (await describeActor(db, workspace.id, entry.addedBy))
  const by = addedBy === null ? sources[source] : `by ${toText(addedBy)}`
  const day = createTimeFormats(clock.now(), workspace.timeZone).day(since)
  return {
    text: `put on the do-not-call list on ${day} ${by}.${reason ? ` Reason: ${reason}` : ''}`,
    addedBy,
    step: step(since, 'bad', `Put on the do-not-call list ${by}`, reason ?? ''),
  }
}
