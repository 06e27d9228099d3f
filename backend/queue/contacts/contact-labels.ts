import { type ConsentKind, consentKindLabels, contactTexts } from '@outdial/contract'
import { toRecord } from '../../platform/core/records.ts'
import { type ContactColumn, textColumns } from '../../platform/db/tables/contact-fields.ts'

/** Labels of a contact's columns, as users see them. */
export const contactLabels: Record<ContactColumn, string> = {
  ...toRecord(textColumns, (column) => contactTexts[column].label),
  variables: contactTexts.variables.label,
  consent_source: contactTexts['consent.source'].label,
  consent_at: contactTexts['consent.at'].label,
  consent_kind: contactTexts['consent.kind'].label,
}

/** Returns empty text for an unknown kind. */
export const formatConsentKind = (kind: ConsentKind | null | undefined): string =>
  kind ? consentKindLabels[kind] : ''

/**
 * Returns the label of a column in a contact's history. If there's none, returns the column's name: an earlier version can have
 * had other columns.
 */
export const labelOfColumn = (column: string): string =>
  (contactLabels as Record<string, string>)[column] ?? column
