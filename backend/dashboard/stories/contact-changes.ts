import type { ContactChange } from '../contacts/contact-history.ts'
import { labelOfColumn } from '../contacts/contact-labels.ts'
import type { Db } from '../db/schema.ts'
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
