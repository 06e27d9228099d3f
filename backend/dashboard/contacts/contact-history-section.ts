import type { Db } from '../../platform/db/schema.ts'
import type { ChangedValues } from '../../platform/db/tables/call-tables.ts'
import { type ContactChange, findChanges } from '../../queue/contacts/contact-history.ts'
import { contactLabels, formatConsentKind, labelOfColumn } from '../../queue/contacts/contact-labels.ts'
import { describeActor, type LinkedText } from '../stories/describe-actor.ts'

export interface ShownChange {
  title: string
  by: LinkedText
  at: Date
  values: { label: string; before: string; after: string }[]
}

const maxChanges = 25

/** Returns what was changed in a contact, by whom, and when, newest first. */
export async function readHistory(db: Db, workspaceId: number, contactId: number): Promise<ShownChange[]> {
  const changes = await findChanges(db, workspaceId, contactId, maxChanges)
  return Promise.all(
    changes.map(async (change) => ({
      title: toTitle(change),
      by:
        change.actor === null
          ? []
          : [{ text: 'By ' }, ...(await describeActor(db, workspaceId, change.actor))],
      at: change.at,
      values: toShownValues(change),
    })),
  )
}

const toTitle = ({ kind, actor }: ContactChange): string => {
  if (actor?.kind === 'import_undo') return 'Import undone'
  return kind === 'created' ? 'Created' : 'Updated'
}

function toShownValues({ old_values: before, new_values: after }: ContactChange): ShownChange['values'] {
  if (before === null || after === null) return []
  const [old, current] = [flatten(before), flatten(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(current)])]
    .map((label) => ({ label, before: old[label] ?? '–', after: current[label] ?? '–' }))
    .filter((value) => value.before !== value.after)
}

/** Returns the changed values by label. A variable's label is its name. */
const flatten = ({
  variables,
  consent_kind: kind,
  ...columns
}: ChangedValues): Record<string, string | null> => ({
  ...Object.fromEntries(Object.entries(columns).map(([name, value]) => [labelOfColumn(name), value])),
  ...(kind && { [contactLabels.consent_kind]: formatConsentKind(kind) }),
  ...variables,
})
