import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { formatCsvPages } from '../../platform/core/csv.ts'
import { getOwn } from '../../platform/core/records.ts'
import { textColumns } from '../../platform/db/tables/contact-fields.ts'
import { defineDownload } from '../page/define-page.ts'
import { OptionalId } from '../page/forms.ts'
import { type ExportedContact, findContactsToExport, selectVariableNames } from './contact-queries.ts'

type Column = [name: string, toCell: (contact: ExportedContact) => string | null]

/** The columns in order, with names that an import recognizes. */
const columns: Column[] = [
  ['phone_number', (contact) => contact.phone_number],
  ...textColumns.map((column): Column => [column, (contact) => contact[column]]),
  ['do_not_call', (contact) => (contact.on_do_not_call_list ? 'true' : 'false')],
  ['consent_source', (contact) => contact.consent_source],
  ['consent_at', (contact) => contact.consent_at?.toISOString() ?? null],
  ['consent_kind', (contact) => contact.consent_kind],
]

/** Streams all contacts, or those of an import, as CSV, oldest first, with a column for each variable at the end. */
async function exportContacts({ db }: Pick<Deps, 'db'>, workspaceId: number, importId: number | null) {
  const variables = await selectVariableNames(db, workspaceId)
  return formatCsvPages({
    header: [...columns.map(([name]) => name), ...variables],
    fetchPage: (last: ExportedContact | undefined, limit) =>
      findContactsToExport(db, workspaceId, { after: last?.id ?? 0, limit, importId }),
    toRecords: (contact) => [
      [
        ...columns.map(([, toCell]) => toCell(contact) ?? ''),
        ...variables.map((name) => getOwn(contact.variables, name) ?? ''),
      ],
    ],
  })
}

export const exportContactsDownload = defineDownload({
  toleratesLag: true,
  query: z.object({ import: OptionalId }),
  send: async (deps, { workspace, query }) => ({
    name: `contacts-${workspace.name}.csv`,
    type: 'text/csv; charset=utf-8',
    body: await exportContacts(deps, workspace.id, query.import ?? null),
  }),
})
