import { contactTexts } from '@outdial/contract'
import type { ContactChange } from '../contacts/contact-history.ts'
import type { Db } from '../db/schema.ts'
import { describeActor, toText } from './describe-actor.ts'
import { type Step, step } from './story.ts'

/** What the columns of a contact are called. */
export const columnLabels: Record<string, string> = {
  first_name: contactTexts.first_name.label,
  last_name: contactTexts.last_name.label,
  email: contactTexts.email.label,
  external_id: contactTexts.external_id.label,
  time_zone: contactTexts.time_zone.label,
  variables: contactTexts.variables.label,
  consent_source: contactTexts['consent.source'].label,
  consent_at: contactTexts['consent.at'].label,
}

/** Returns a step for each change of a contact, without the values. */
export const toChangeSteps = (
  db: Db,
  workspaceId: number,
  changes: readonly ContactChange[],
): Promise<Step[]> =>
  Promise.all(
    changes.map(async ({ kind, fields, actor, at }) => {
      const names = fields.map((name) => columnLabels[name] ?? name).join(', ')
      const title = kind === 'created' ? 'Contact created' : `Contact updated: ${names}`
      const by = actor === null ? '' : `By ${toText(await describeActor(db, workspaceId, actor))}.`
      return step(at, 'mute', title, by)
    }),
  )
