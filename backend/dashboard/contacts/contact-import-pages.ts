import { addContactTexts } from '@outdial/contract'
import * as z from 'zod'
import { listOpenCampaigns } from '../../campaigns/campaigns.ts'
import { contactLabels } from '../../contacts/contact-labels.ts'
import { ImportColumn, type ImportField } from '../../contacts/import/import-columns.ts'
import {
  discardImport,
  getImport,
  maxFileBytes,
  startImport,
  uploadContacts,
} from '../../contacts/import/imports.ts'
import { RowIssue } from '../../contacts/import/parse-row.ts'
import { formatCsvPages } from '../../core/csv.ts'
import { pick } from '../../core/records.ts'
import { consentColumns, detailColumns, nameColumns } from '../../db/tables/contact-fields.ts'
import type { Deps } from '../../deps.ts'
import type { Badge } from '../../views/badges.ts'
import { formatCount, formatPlural } from '../../views/format.ts'
import {
  defineAction,
  defineDownload,
  defineForm,
  definePage,
  noInput,
  redirectTo,
  template,
} from '../page/define-page.ts'
import { OptionalId } from '../page/forms.ts'
import { IdParams, type PageContext, pathTo } from '../page/page-context.ts'
import { ChosenFile } from '../page/upload.ts'
import { toCampaignOptions } from './campaign-options.ts'
import {
  countImportRows,
  type ImportCounts,
  type ImportStatus,
  type RowWithIssues,
  selectImports,
  selectRowsWithIssues,
} from './contact-import-queries.ts'

interface UploadData {
  requiredColumn: string
  /** The other columns that are recognized, as a list in a sentence. */
  otherColumns: string
  imports: { id: number; name: string; badge: Badge; at: Date }[]
}

interface ImportIssue {
  row: number
  column: string
  message: string
}

/** The issues of some of the rows. */
interface IssueTable {
  id: string
  title: string
  issues: ImportIssue[]
  /** Number of rows whose issues aren't shown. */
  more: number
}

interface ImportData {
  id: number
  name: string
  status: ImportStatus
  badge: Badge
  isRunning: boolean
  error: string
  at: Date
  counts: ImportCounts
  /** Number of contacts that the import creates or updates. */
  importable: number
  progress: { max: number; value: number; text: string }
  fields: { header: string; field: string }[]
  variables: string[]
  issueTables: IssueTable[]
  campaigns: { value: number | ''; label: string }[]
  campaignLabel: string
  chosen: number | ''
}

const importListView = template<UploadData>('dashboard/contacts/contact-import-page')
const importResultView = template<ImportData>('dashboard/contacts/contact-import-result-page')

const statusBadges: Record<ImportStatus, Badge> = {
  uploaded: { tone: 'live', text: 'Checking' },
  checked: { tone: 'warn', text: 'Not imported yet' },
  importing: { tone: 'live', text: 'Importing' },
  done: { tone: 'good', text: 'Imported' },
  failed: { tone: 'bad', text: 'Failed' },
}

/** In the order of the page's text. */
const fieldNames: Record<ImportField, string> = {
  phone_number: addContactTexts.phone_number.label,
  country: addContactTexts.country.label,
  ...pick(contactLabels, nameColumns),
  name: 'Full name',
  ...pick(contactLabels, [...detailColumns, 'time_zone']),
  do_not_call: addContactTexts.do_not_call.label,
  ...pick(contactLabels, consentColumns),
}

const { phone_number: requiredColumn, ...otherNames } = fieldNames
const otherColumns = new Intl.ListFormat('en-US').format(Object.values(otherNames))

const maxIssues = 100

export const importPage = defineForm({
  query: z.object({ campaign: OptionalId }),
  form: z.object({ file: ChosenFile }),
  fileLimit: maxFileBytes,
  show: async (deps, { workspace }) => {
    const imports = await selectImports(deps.db, workspace.id)
    return importListView('Import contacts', {
      requiredColumn,
      otherColumns,
      imports: imports.map(({ id, file_name, status, created_at }) => ({
        id,
        name: file_name,
        badge: statusBadges[status],
        at: created_at,
      })),
    })
  },
  submit: async (tx, context, { file: chosen }) => {
    const id = await uploadContacts(tx, context.caller, chosen)
    const { campaign } = context.query
    const query = campaign === undefined ? '' : `?campaign=${campaign}`
    return redirectTo(`${importPath(context, id)}${query}`)
  },
})

const ImportColumns = z.array(ImportColumn)
const ImportIssues = z.array(RowIssue)

export const importResultPage = definePage({
  params: IdParams,
  query: z.object({ campaign: OptionalId }),
  show: async (deps, { workspace, params: { id }, query }) => {
    const found = await getImport(deps, workspace.id, id)
    const counts = await countImportRows(deps.db, workspace.id, id)
    const columns = ImportColumns.parse(found.columns)
    const campaigns = await listOpenCampaigns(deps, workspace.id)
    const selectIssues = (rows: 'skipped' | 'noted') =>
      selectRowsWithIssues(deps.db, workspace.id, id, { after: 0, limit: maxIssues, rows })
    const skippedCount = counts.invalid + counts.duplicate + counts.failed
    return importResultView(`Import of ${found.file_name}`, {
      id,
      name: found.file_name,
      status: found.status,
      badge: statusBadges[found.status],
      isRunning: found.status === 'uploaded' || found.status === 'importing',
      error: found.error ?? '',
      at: found.created_at,
      counts,
      importable: counts.new + counts.existing,
      progress: toProgress(found.status, counts, found.campaign_name),
      fields: columns.flatMap(({ header, field }) =>
        field === null ? [] : [{ header, field: fieldNames[field] }],
      ),
      variables: columns.flatMap(({ variable }) => (variable === null ? [] : [variable])),
      issueTables: [
        toIssueTable('issues', 'Skipped rows', await selectIssues('skipped'), skippedCount),
        toIssueTable('notices', 'Imported rows to check', await selectIssues('noted'), counts.noted),
      ],
      campaigns: [{ value: '', label: "Don't call yet" }, ...toCampaignOptions(campaigns)],
      campaignLabel: addContactTexts.campaign_id.label,
      chosen: query.campaign ?? '',
    })
  },
})

function toProgress(
  status: ImportStatus,
  counts: ImportCounts,
  campaign: string | null,
): ImportData['progress'] {
  const importable = counts.new + counts.existing
  const written = counts.created + counts.updated + counts.failed
  const max = Math.max(importable, 1)
  const parts = [
    `${formatCount(counts.created)} new`,
    `${formatCount(counts.updated)} updated`,
    ...(counts.failed > 0 ? [`${formatCount(counts.failed)} failed`] : []),
  ]
  const contacts = `${formatCount(written)} of ${formatPlural(importable, 'contact')} processed: ${parts.join(', ')}.`
  const calls = campaign ? ` Campaign ${campaign}: ${formatQueuedCalls(counts)}.` : ''
  return { max, value: status === 'done' ? max : written, text: `${contacts}${calls}` }
}

const formatQueuedCalls = ({ queued, open, not_called: notCalled }: ImportCounts): string =>
  [
    `${formatPlural(queued, 'call')} queued`,
    ...(open > 0 ? [`${formatCount(open)} already waiting or in progress`] : []),
    ...(notCalled > 0 ? [`${formatCount(notCalled)} not called (on the do-not-call list)`] : []),
  ].join(', ')

const toImportIssues = ({ position, issues }: RowWithIssues): ImportIssue[] =>
  ImportIssues.parse(issues).map((issue) => ({ row: position, ...issue }))

const toIssueTable = (
  id: string,
  title: string,
  rows: readonly RowWithIssues[],
  count: number,
): IssueTable => ({
  id,
  title,
  issues: rows.flatMap(toImportIssues).slice(0, maxIssues),
  more: Math.max(0, count - rows.length),
})

export const startImportAction = defineAction({
  params: IdParams,
  form: z.object({ campaign_id: z.coerce.number().int().min(1).optional() }),
  run: async (tx, context, { campaign_id }) => {
    const isFirst = await startImport(tx, context.workspace.id, context.params.id, campaign_id ?? null)
    return redirectTo(
      importPath(context, context.params.id),
      isFirst ? null : 'This import was already started.',
    )
  },
  back: (context) => importPath(context, context.params.id),
})

export const discardImportAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    const isDeleted = await discardImport(tx, context.workspace.id, context.params.id)
    return isDeleted
      ? redirectTo(pathTo(context, '/contacts/import'), 'File discarded.')
      : redirectTo(
          importPath(context, context.params.id),
          'This file is still being processed. Wait until processing finishes, then discard it.',
        )
  },
  back: (context) => importPath(context, context.params.id),
})

export const importIssuesDownload = defineDownload({
  params: IdParams,
  query: noInput,
  send: async (deps, { workspace, params: { id } }) => {
    const found = await getImport(deps, workspace.id, id)
    return {
      name: `issues-${found.file_name.replace(/\.[^.]*$/, '')}.csv`,
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
    toRecords: (issues) =>
      toImportIssues(issues).map(({ row, column, message }) => [String(row), column, message]),
  })

const importPath = (context: PageContext, id: number) => pathTo(context, `/contacts/import/${id}`)
