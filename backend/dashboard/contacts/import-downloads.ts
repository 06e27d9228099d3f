import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { formatCsvPages } from '../../platform/core/csv.ts'
import { getOwn, pick } from '../../platform/core/records.ts'
import { textColumns } from '../../platform/db/tables/contact-fields.ts'
import {
  type ImportColumn,
  ImportColumns,
  type ImportField,
  reasonHeader,
  withoutReason,
} from '../../queue/contacts/import/import-columns.ts'
import { getImport } from '../../queue/contacts/import/imports.ts'
import { ImportedContact } from '../../queue/contacts/import/parse-row.ts'
import { describeIssue, RowIssue } from '../../queue/contacts/import/row-issue.ts'
import { defineDownload, noInput } from '../page/define-page.ts'
import { IdParams } from '../page/page-context.ts'
import {
  type IssueTableName,
  type RejectedRow,
  type RowWithIssues,
  selectRejectedRows,
  selectRowsWithIssues,
} from './contact-import-queries.ts'

export interface ImportIssue {
  row: number
  column: string
  message: string
}

const ImportIssues = z.array(RowIssue)

/** Returns the issues of a row, or only those that a table shows. */
export const toImportIssues = ({ position, issues }: RowWithIssues, table?: IssueTableName): ImportIssue[] =>
  ImportIssues.parse(issues)
    .filter(
      ({ kind }) =>
        table === undefined || kind === (table === 'skipped' || table === 'noted' ? undefined : table),
    )
    .map(({ column, message }) => ({ row: position, column, message }))

/** Returns the notice about the whole file, or an empty text. */
export const toFileNotice = (row: Pick<RowWithIssues, 'issues'> | undefined): string =>
  ImportIssues.parse(row?.issues ?? []).find(({ kind }) => kind === 'file')?.message ?? ''

const baseName = (fileName: string): string => fileName.replace(/\.[^.]*$/, '')

export const importIssuesDownload = defineDownload({
  params: IdParams,
  query: noInput,
  send: async (deps, { workspace, params: { id } }) => {
    const found = await getImport(deps, workspace.id, id)
    return {
      name: `issues-${baseName(found.file_name)}.csv`,
      type: 'text/csv; charset=utf-8',
      body: exportIssues(deps, workspace.id, id),
    }
  },
})

const exportIssues = ({ db }: Pick<Deps, 'db'>, workspaceId: number, importId: number) =>
  formatCsvPages({
    header: ['row', 'column', 'issue'],
    fetchPage: (last: RowWithIssues | undefined, limit) =>
      selectRowsWithIssues(db, workspaceId, importId, { after: last?.position ?? 0, limit }),
    toRecords: (row) => toImportIssues(row).map((issue) => [String(issue.row), issue.column, issue.message]),
  })

/** The rejected rows as they were in the file, with the reason in a last column, to correct and upload them again. */
export const rejectedRowsDownload = defineDownload({
  params: IdParams,
  query: noInput,
  send: async (deps, { workspace, params: { id } }) => {
    const found = await getImport(deps, workspace.id, id)
    return {
      name: `rejected-${baseName(found.file_name)}.csv`,
      type: 'text/csv; charset=utf-8',
      body: exportRejected(deps, workspace.id, id, ImportColumns.parse(found.columns)),
    }
  },
})

function exportRejected(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  importId: number,
  columns: readonly ImportColumn[],
) {
  // If the file already has a column with the reasons of an earlier rejection, the new reasons replace it.
  const ownColumns = withoutReason(columns)
  return formatCsvPages({
    header: [...ownColumns.map(({ header }) => header), reasonHeader],
    fetchPage: (row: RejectedRow | undefined, limit) =>
      selectRejectedRows(db, workspaceId, importId, { after: row?.position ?? 0, limit }),
    toRecords: (row) => [toRejectedRecord(row, ownColumns, columns.length)],
  })
}

const Cells = z.array(z.string()).nullable()

function toRejectedRecord(
  row: RejectedRow,
  ownColumns: readonly ImportColumn[],
  columnCount: number,
): string[] {
  const cells =
    Cells.parse(row.cells) ?? ownColumns.map((column) => toCell(column, ImportedContact.parse(row.fields)))
  const reasons = ImportIssues.parse(row.issues)
    .filter(({ kind }) => kind !== 'file')
    .map(describeIssue)
  // Cells beyond the last column stay at the end of the row, so that it's rejected again until a person corrects it.
  return [...ownColumns.map((_, index) => cells[index] ?? ''), reasons.join(' '), ...cells.slice(columnCount)]
}

/** Returns the value that was read from a cell. A row that was rejected only when it was imported has no stored cells. */
function toCell({ field, variable, rank }: ImportColumn, contact: ImportedContact): string {
  if (variable !== null) return getOwn(contact.variables ?? {}, variable) ?? ''
  if (field === null) return ''
  const { consent, do_not_call, consent_denied } = contact
  const cells: Partial<Record<ImportField, string | null>> = {
    ...pick(contact, textColumns),
    phone_number: rank === 1 ? contact.phone_number : '',
    country: contact.variables?.country,
    name: [contact.first_name, contact.last_name].filter(Boolean).join(' '),
    do_not_call: do_not_call === true ? 'Yes' : '',
    may_call: do_not_call === true ? 'No' : '',
    consent_given: consent_denied === true ? 'No' : consent ? 'Yes' : '',
    consent_source: consent?.source,
    consent_at: consent?.at,
    consent_kind: consent?.kind,
  }
  return cells[field] ?? ''
}
