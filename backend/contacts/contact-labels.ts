import { contactTexts } from '@outdial/contract'
import { toRecord } from '../core/records.ts'
import { type ContactColumn, textColumns } from '../db/tables/contact-fields.ts'

/** What the columns of a contact are called. */
export const contactLabels: Record<ContactColumn, string> = {
  ...toRecord(textColumns, (column) => contactTexts[column].label),
  variables: contactTexts.variables.label,
  consent_source: contactTexts['consent.source'].label,
  consent_at: contactTexts['consent.at'].label,
}

/** Returns what a column in a contact's history is called. An earlier version can have had other columns. */
export const labelOfColumn = (column: string): string =>
  (contactLabels as Record<string, string>)[column] ?? column
