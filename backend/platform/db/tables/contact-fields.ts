import type { ConsentKind } from '@outdial/contract'
import type { Selectable } from 'kysely'
import { toRecord } from '../../core/records.ts'
import type { JsonWithDefault, TimestampColumn } from './column-types.ts'

/**
 * The fields that are entered about a contact: all columns of `contact` except the phone number and the columns that the
 * service writes.
 */
export interface ContactFieldColumns {
  first_name: string | null
  last_name: string | null
  email: string | null
  external_id: string | null
  time_zone: string | null
  variables: JsonWithDefault<Record<string, string>>
  consent_source: string | null
  consent_at: TimestampColumn | null
  consent_kind: ConsentKind | null
}

export type ContactFieldValues = Selectable<ContactFieldColumns>
export type ContactColumn = keyof ContactFieldColumns

/**
 * The columns in the order in which users see them, and how they're shown. A detail is a text that pages, agents, imports,
 * and exports show unchanged. Schemas, forms, tools, and SQL functions list the columns by hand; a test finds missing ones.
 */
const kinds = {
  first_name: 'name',
  last_name: 'name',
  email: 'detail',
  external_id: 'detail',
  time_zone: 'time zone',
  variables: 'variables',
  consent_source: 'consent',
  consent_at: 'consent',
  consent_kind: 'consent',
} as const satisfies Record<ContactColumn, string>

type Kind = (typeof kinds)[ContactColumn]
type ColumnOf<OfKind extends Kind> = {
  [Column in ContactColumn]: (typeof kinds)[Column] extends OfKind ? Column : never
}[ContactColumn]

export const contactColumns = Object.keys(kinds) as ContactColumn[]

const columnsOf = <OfKind extends Kind>(...selected: OfKind[]): readonly ColumnOf<OfKind>[] =>
  contactColumns.filter((column): column is ColumnOf<OfKind> => (selected as Kind[]).includes(kinds[column]))

export const nameColumns = columnsOf('name')
export const detailColumns = columnsOf('detail')
export const consentColumns = columnsOf('consent')
export const textColumns = columnsOf('name', 'detail', 'time zone')
export type ContactTextColumn = (typeof textColumns)[number]

/** The columns that are API fields with the same names. The API has the consent columns as one object instead. */
export const apiColumns = columnsOf('name', 'detail', 'time zone', 'variables')

/** The fields of a contact who was erased, or of whom only the number is known. */
export const blankContact = {
  ...toRecord(textColumns, () => null),
  variables: {},
  consent_source: null,
  consent_at: null,
  consent_kind: null,
} satisfies ContactFieldValues
