import { addContactTexts } from '@outdial/contract'
import { pick } from '../../platform/core/records.ts'
import type { ImportStatus } from '../../platform/db/tables/call-tables.ts'
import { consentColumns, detailColumns, nameColumns } from '../../platform/db/tables/contact-fields.ts'
import type { Badge } from '../../platform/views/badges.ts'
import { contactLabels } from '../../queue/contacts/contact-labels.ts'
import type { ColumnUse, ImportField } from '../../queue/contacts/import/import-columns.ts'

export const importBadges: Record<ImportStatus, Badge> = {
  uploaded: { tone: 'live', text: 'Reading' },
  mapping: { tone: 'warn', text: 'Columns to confirm' },
  checking: { tone: 'live', text: 'Checking' },
  checked: { tone: 'warn', text: 'Not imported yet' },
  importing: { tone: 'live', text: 'Importing' },
  done: { tone: 'good', text: 'Imported' },
  failed: { tone: 'bad', text: 'Failed' },
  undoing: { tone: 'live', text: 'Undoing' },
  undone: { tone: 'mute', text: 'Undone' },
}

/** The statuses in which a worker processes the import. Meanwhile, the import's page shows the progress. */
export const runningStatuses: ReadonlySet<ImportStatus> = new Set([
  'uploaded',
  'checking',
  'importing',
  'undoing',
])

/** The labels of what a column can contain, in the order in which the form offers them. */
const useLabels: Record<ColumnUse, string> = {
  phone_number: addContactTexts.phone_number.label,
  country: addContactTexts.country.label,
  ...pick(contactLabels, nameColumns),
  name: 'Full name',
  ...pick(contactLabels, [...detailColumns, 'time_zone']),
  variable: 'Variable',
  do_not_call: "Yes means don't call",
  may_call: "No means don't call",
  consent_given: 'Yes means consent',
  ...pick(contactLabels, consentColumns),
  ignore: 'Ignore',
}

export const useOptions = Object.entries(useLabels).map(([value, label]) => ({ value, label }))

export const labelOfField = (field: ImportField): string => useLabels[field]
