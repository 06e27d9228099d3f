import { contactTexts } from '@outdial/contract'
import { toRecord } from '../core/records.ts'
import { type ContactColumn, textColumns } from '../db/tables/contact-fields.ts'

/** Labels of a contact's columns, as users see them. */
export const contactLabels: Record<ContactColumn, string> = {
  ...toRecord(textColumns, (column) => contactTexts[column].label),
  variables: contactTexts.variables.label,
  consent_source: contactTexts['consent.source'].label,
  consent_at: contactTexts['consent.at'].label,
}

/** Returns the label of a column in a contact's history. An earlier version can have had other columns. */
export const labelOfColumn = (column: string): string =>
  (contactLabels as Record<string, string>)[column] ?? column
