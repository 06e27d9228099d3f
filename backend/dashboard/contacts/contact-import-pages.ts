import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import type { ImportStatus } from '../../platform/db/tables/call-tables.ts'
import { badge, live, time } from '../../platform/views/elements.ts'
import { formatCount, formatPlural } from '../../platform/views/format.ts'
import { field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { attributes, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { listNames } from '../../queue/calls/greeting.ts'
import { listOpenCampaigns } from '../../queue/campaigns/campaigns.ts'
import { type ImportColumn, ImportColumns } from '../../queue/contacts/import/import-columns.ts'
import {
  discardImport,
  maxFileBytes,
  requireImport,
  startImport,
  uploadContacts,
} from '../../queue/contacts/import/imports.ts'
import { canMapColumns } from '../../queue/contacts/import/map-columns.ts'
import { countMissingValues, type MissingValue } from '../../queue/contacts/import/missing-values.ts'
import { FileConsent } from '../../queue/contacts/import/parse-consent.ts'
import { countStoppedRows, type StoppedRows } from '../../queue/contacts/import/stopped-rows.ts'
import {
  defineAction,
  defineForm,
  definePage,
  defineView,
  noInput,
  redirectTo,
  type View,
} from '../page/define-page.ts'
import { OptionalId } from '../page/forms.ts'
import { IdParams, type PageContext, type PathContext, pathTo } from '../page/page-context.ts'
import { ChosenFile } from '../page/upload.ts'
import { toCampaignOptions } from './campaign-options.ts'
import { columnsPath, toCampaignQuery, toColumnsForm } from './contact-import-columns-page.ts'
import { importBadges, labelOfField } from './contact-import-labels.ts'
import { toPreview } from './contact-import-preview.ts'
import {
  countImportRows,
  type ImportCounts,
  type IssueTableName,
  selectFileNotice,
  selectImports,
  selectPreviewRows,
  selectRowsWithIssues,
} from './contact-import-queries.ts'
import { type ImportData, importResultView, type IssueTable } from './contact-import-view.ts'
import { toFileNotice, toImportIssues } from './import-downloads.ts'
import { readUndoSection } from './undo-import-pages.ts'

const importListView = defineView(
  ({ ui, form }, { imports }: { imports: Awaited<ReturnType<typeof selectImports>> }) => html`
    <a class="crumb" href="${ui.to('/contacts')}">${icon('back')} Contacts</a>
    <h1>Import contacts</h1>
    ${pageForm(
      form,
      { enctype: 'multipart/form-data', class: 'panel stack form', novalidate: true },
      html`
        ${formMessage(form)}
        <p>Upload a CSV file. Then confirm what its columns contain, and review contacts and errors before anything is imported.</p>
        ${field({
          form,
          name: 'file',
          label: 'CSV file',
          type: 'file',
          required: true,
          accept: '.csv,.tsv,.txt,text/csv',
          hint: 'Up to 20 MB and 100,000 rows. Separate columns with commas, semicolons, or tabs.',
        })}
        <p class="hint">The first row should contain column names. Outdial recognizes those of most CRMs, lead forms, and address books.</p>
        <p class="hint">
          Dates without a time zone are in ${ui.timeZone}. In a date such as 12/01/2026, the month comes first.
        </p>
        <div class="form-actions">
          <button class="primary">Upload file</button>
          <a class="button quiet" href="${ui.to('/contacts')}">Cancel</a>
        </div>
      `,
    )}
    ${
      imports.length > 0 &&
      html`
        <section class="panel flush" aria-labelledby="imports">
          <h2 id="imports">Recent imports</h2>
          <div class="table-scroll" tabindex="0" role="group" aria-label="Recent imports">
            <table>
              <thead><tr><th scope="col">File</th><th scope="col">Status</th><th scope="col">Uploaded</th></tr></thead>
              <tbody>
                ${imports.map(
                  (file) => html`
                    <tr>
                      <th scope="row"><a href="${ui.to(`/contacts/import/${file.id}`)}">${file.file_name}</a></th>
                      <td>${badge(importBadges[file.status])}</td>
                      <td class="nowrap">${time(ui, file.created_at)}</td>
                    </tr>
                  `,
                )}
              </tbody>
            </table>
          </div>
        </section>
      `
    }
  `,
)

const importErasingView = defineView(
  ({ ui, here }, { name }: { name: string }) => html`
    <a class="crumb" href="${ui.to('/contacts/import')}">${icon('back')} Import contacts</a>
    <div class="live stack-wide"${attributes({ ...live(here, '1s'), 'hx-swap': 'outerHTML' })}>
      <div class="page-head">
        <h1>${name}</h1>
      </div>
      <section class="panel" aria-labelledby="erasing">
        <h2 id="erasing">Removing an erased contact</h2>
        <p role="status">
          A contact was erased, and Outdial is removing that person from this file. Until then, the file can't be shown, downloaded, or
          imported. This takes up to a few minutes. <noscript>Reload the page to continue.</noscript>
        </p>
      </section>
    </div>
  `,
)

const maxIssues = 100

const previewRows = 20

export const importPage = defineForm({
  query: z.object({ campaign: OptionalId }),
  form: z.object({ file: ChosenFile }),
  fileLimit: maxFileBytes,
  show: async (deps, { workspace }) =>
    importListView('Import contacts', { imports: await selectImports(deps.db, workspace.id) }),
  submit: async (tx, context, { file: chosen }) => {
    const id = await uploadContacts(tx, context.caller, chosen)
    const { campaign } = context.query
    return redirectTo(`${importPath(context, id)}${toCampaignQuery(campaign)}`)
  },
})

/** The tables of issues, in the order of the page. */
const issueTables: Record<IssueTableName, { title: string; text: string }> = {
  not_blocked: {
    title: 'Not blocked',
    text: "These people should not be called, but their numbers can't be read. They aren't on the do-not-call list.",
  },
  no_consent: { title: 'Saved, not called: no consent', text: '' },
  country: { title: 'Saved, not called: country', text: '' },
  frequency: { title: 'Saved, not called: not callable within 7 days', text: '' },
  skipped: { title: 'Skipped rows', text: '' },
  noted: { title: 'Imported rows to check', text: '' },
}

const ResultQuery = z.object({ campaign: OptionalId })

export const importResultPage = definePage({ params: IdParams, query: ResultQuery, show: showResult })

async function showResult(
  deps: Deps,
  context: PageContext<z.output<typeof ResultQuery>, z.output<typeof IdParams>>,
): Promise<View> {
  const { workspace, query } = context
  const { id } = context.params
  const found = await requireImport(deps, workspace.id, id)
  if (found.is_erasing) return importErasingView(`Import of ${found.file_name}`, { name: found.file_name })
  const counts = await countImportRows(deps.db, workspace.id, id)
  const columns = ImportColumns.parse(found.columns)
  const campaigns = await listOpenCampaigns(deps, workspace.id)
  const columnsAction = columnsPath(importPath(context, id), query.campaign)
  const isRead = found.status !== 'uploaded' && found.status !== 'mapping'
  const shownTables: IssueTable[] = []
  for (const table of Object.keys(issueTables) as IssueTableName[]) {
    if (counts[table] === 0) continue
    const rows = await selectRowsWithIssues(deps.db, workspace.id, id, {
      after: 0,
      limit: maxIssues,
      table,
    })
    shownTables.push({
      id: `issues-${table.replace('_', '-')}`,
      ...issueTables[table],
      issues: rows.flatMap((row) => toImportIssues(row, table)).slice(0, maxIssues),
      more: Math.max(0, counts[table] - rows.length),
    })
  }
  const preview =
    found.status === 'checked' ? await selectPreviewRows(deps.db, workspace.id, id, previewRows) : []
  return importResultView(`Import of ${found.file_name}`, {
    file: found,
    columnsForm: found.status === 'mapping' ? toColumnsForm(found, columnsAction, workspace.timeZone) : null,
    columnsPath: canMapColumns(found) ? columnsAction : '',
    counts,
    progress: toProgress(found.status, counts, found.campaign_name),
    fields: isRead
      ? columns.flatMap((column) =>
          column.field === null ? [] : [{ header: column.header, field: labelOfField(column.field) }],
        )
      : [],
    variables: columns.flatMap(({ variable }) => (variable === null ? [] : [variable])),
    lacksConsentDetails: lacksConsentDetails(columns, FileConsent.parse(found.consent)),
    fileNotice: toFileNotice(await selectFileNotice(deps.db, workspace.id, id)),
    preview: preview.map(toPreview),
    issueTables: shownTables,
    campaigns: [{ value: '', label: "Don't call yet" }, ...toCampaignOptions(campaigns)],
    chosen: query.campaign ?? '',
    undo: await readUndoSection(deps, workspace.id, id),
    missing:
      found.status === 'checked'
        ? describeMissingValues(await countMissingValues(deps.db, workspace.id, id))
        : [],
    stopped:
      found.status === 'checked' ? (await countStoppedRows(deps, workspace.id, id)).map(describeStopped) : [],
  })
}

function lacksConsentDetails(columns: readonly ImportColumn[], consent: FileConsent): boolean {
  const has = (name: ImportColumn['field']) => columns.some((column) => column.field === name)
  if (!has('consent_given')) return false
  const hasSource = consent.source !== undefined || has('consent_source')
  const hasDate = consent.at !== undefined || has('consent_at')
  return !hasSource || !hasDate
}

/** Returns "3 contacts without the required consent and 2 contacts with a consent that's too old". */
function describeStopped({ campaign, ...stopped }: StoppedRows): ImportData['stopped'][number] {
  const { consentMissing, consentExpired, noPermittedHour } = stopped
  const counts = [
    ...(consentMissing > 0
      ? [`${formatPlural(consentMissing, 'contact')} without the required consent`]
      : []),
    ...(consentExpired > 0
      ? [`${formatPlural(consentExpired, 'contact')} with a consent that's too old`]
      : []),
    ...(noPermittedHour > 0
      ? [`${formatPlural(noPermittedHour, 'contact')} without a permitted hour within 7 days`]
      : []),
  ]
  return { campaign, counts: listNames(counts) }
}

/** Returns a line for each campaign: "appointment (67 contacts) and day (3 contacts)". */
const describeMissingValues = (missing: readonly MissingValue[]): ImportData['missing'] =>
  [...Map.groupBy(missing, ({ campaignId }) => campaignId).values()].map((ofCampaign) => ({
    campaign: ofCampaign[0]?.campaign ?? '',
    counts: listNames(
      ofCampaign.map(({ name, contacts }) => `${name} (${formatPlural(contacts, 'contact')})`),
    ),
  }))

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
  const rows = `${formatCount(written)} of ${formatPlural(importable, 'row')} processed: ${parts.join(', ')}.`
  const calls = campaign ? ` Campaign ${campaign}: ${formatQueuedCalls(counts)}.` : ''
  return { max, value: status === 'done' ? max : written, text: `${rows}${calls}` }
}

const formatQueuedCalls = ({
  queued,
  open,
  not_called: notCalled,
  denied,
  wrong_country: wrongCountry,
  consent_missing: consentMissing,
  consent_expired: consentExpired,
  too_often: tooOften,
  no_hour: noHour,
}: ImportCounts): string =>
  [
    `${formatPlural(queued, 'call')} queued`,
    ...(open > 0 ? [`${formatCount(open)} already waiting or in progress`] : []),
    ...(notCalled > 0 ? [`${formatCount(notCalled)} not called (on the do-not-call list)`] : []),
    ...(denied > 0 ? [`${formatCount(denied)} not called (no consent)`] : []),
    ...(wrongCountry > 0 ? [`${formatCount(wrongCountry)} not called (country)`] : []),
    ...(consentMissing > 0 ? [`${formatCount(consentMissing)} not called (consent missing)`] : []),
    ...(consentExpired > 0 ? [`${formatCount(consentExpired)} not called (consent too old)`] : []),
    ...(tooOften > 0 ? [`${formatCount(tooOften)} not called (called as often as allowed)`] : []),
    ...(noHour > 0 ? [`${formatCount(noHour)} not called (no permitted hour)`] : []),
  ].join(', ')

/** The form on the result's page. Shows the page again, with the chosen campaign, if the import can't start. */
export const startImportPage = defineForm({
  params: IdParams,
  query: ResultQuery,
  form: z.object({ campaign_id: z.coerce.number().int().min(1).optional() }),
  show: showResult,
  submit: async (tx, context, { campaign_id }) => {
    const isFirst = await startImport(tx, context.workspace.id, context.params.id, campaign_id ?? null)
    return redirectTo(
      importPath(context, context.params.id),
      isFirst ? null : 'This import was already started.',
    )
  },
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
          'This file is still being imported or undone. Wait until that finishes, then discard it.',
        )
  },
  back: (context) => importPath(context, context.params.id),
})

const importPath = (context: PathContext, id: number) => pathTo(context, `/contacts/import/${id}`)
