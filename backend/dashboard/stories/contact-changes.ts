import type { Db } from '../../platform/db/schema.ts'
import type { ContactChange } from '../../queue/contacts/contact-history.ts'
import { labelOfColumn } from '../../queue/contacts/contact-labels.ts'
import { describeActor, toText } from './describe-actor.ts'
import { type Step, step } from './story.ts'

/** Returns a step for each change of a contact, without the values. */
export const toChangeSteps = (
  db: Db,
  workspaceId: number,
  changes: readonly ContactChange[],
): Promise<Step[]> =>
  Promise.all(
    changes.map(async ({ kind, fields, actor, at }) => {
      const names = fields.map(labelOfColumn).join(', ')
      const title = kind === 'created' ? 'Contact created' : `Contact updated: ${names}`
      const by = actor === null ? '' : `By ${toText(await describeActor(db, workspaceId, actor))}.`
      return step(at, 'mute', title, by)
    }),
  )
