import { addContactTexts } from '@outdial/contract'
import { badge, live, time } from '../../platform/views/elements.ts'
import { confirm, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { attributes, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import type { requireImport } from '../../queue/contacts/import/imports.ts'
import { defineView } from '../page/define-page.ts'
import { type ColumnsForm, contactImportColumns } from './contact-import-columns.ts'
import { importBadges, runningStatuses } from './contact-import-labels.ts'
import { type PreviewLine } from './contact-import-preview.ts'
import { type ImportCounts } from './contact-import-queries.ts'
import { type ImportIssue } from './import-downloads.ts'
import { type UndoSection } from './undo-import-pages.ts'
import { undoImportSection } from './undo-import-section.ts'

/** One of the page's tables of issues. */
export interface IssueTable {
  id: string
  title: string
  text: string
  issues: ImportIssue[]
  /** Number of rows whose issues aren't shown. */
  more: number
}

export interface ImportData {
  file: Awaited<ReturnType<typeof requireImport>>
  /** The form for the columns, while a person must say what they contain. Null otherwise. */
  columnsForm: ColumnsForm | null
  /** The path of the page that changes the columns. Empty if they can't be changed anymore. */
  columnsPath: string
  counts: ImportCounts
  progress: { max: number; value: number; text: string }
  fields: { header: string; field: string }[]
  variables: string[]
  /** True if a column says who agreed to be called, but not where or when. */
  lacksConsentDetails: boolean
  /** The notice about the whole file, or an empty text. */
  fileNotice: string
  preview: PreviewLine[]
  issueTables: IssueTable[]
  campaigns: { value: number | ''; label: string }[]
  chosen: number | ''
  undo: UndoSection
  /** Variables of a campaign's greeting for which contacts have no value, with the number of these contacts. */
  missing: { campaign: string; counts: string }[]
  /** Contacts whom a campaign wouldn't call because of a rule. */
  stopped: { campaign: string; counts: string }[]
}

export const importResultView = defineView(
  (
    { ui, form, here },
    {
      file,
      columnsForm,
      progress,
      undo,
      lacksConsentDetails,
      chosen,
      campaigns,
      stopped,
      missing,
      columnsPath,
      fileNotice,
      preview,
      fields,
      variables,
      issueTables,
      counts,
    }: ImportData,
  ) => {
    const { id, status, file_name: name } = file
    const importable = counts.new + counts.existing
    const startPath = ui.to(`/contacts/import/${id}/start`)
    const startForm = form.sentTo(startPath)
    const canStart = status === 'checked' && importable > 0
    return html`
      <a class="crumb" href="${ui.to('/contacts/import')}">${icon('back')} Import contacts</a>
      <div class="live stack-wide"${attributes(live(runningStatuses.has(status) ? here : null, '1s'))}>
      <div class="page-head">
        <div>
          <h1>${name}</h1>
          <p class="row">
            ${badge(importBadges[status])}
            <span class="soft small-text">Uploaded ${time(ui, file.created_at, 'phrase')}. The file is deleted after seven days.</span>
          </p>
        </div>
        ${
          status !== 'importing' &&
          status !== 'undoing' &&
          html`
            <div class="page-head-actions">
              ${confirm({
                form,
                id: 'discard',
                look: 'quiet',
                action: ui.to(`/contacts/import/${id}/discard`),
                label: 'Discard file',
                question: `Discard “${name}”?`,
                detail:
                  "The file and its results are deleted. Contacts and calls that it added stay. You can't undo this.",
                confirm: 'Discard file',
              })}
            </div>
          `
        }
      </div>
      ${file.error ? html`<p class="notice" data-tone="bad" role="alert">${file.error}</p>` : null}
      ${startForm.message && !startForm.isRestored && !canStart ? html`<p class="notice" data-tone="bad" role="alert">${startForm.message}</p>` : null}
      ${
        status === 'uploaded' &&
        html`
          <section class="panel" aria-labelledby="reading">
            <h2 id="reading">Reading columns</h2>
            <p role="status">This takes a few seconds. <noscript>Reload the page to continue.</noscript></p>
          </section>
        `
      }
      ${columnsForm ? contactImportColumns(form, columnsForm) : null}
      ${
        status === 'checking' &&
        html`
          <section class="panel" aria-labelledby="checking">
            <h2 id="checking">Checking file</h2>
            <p role="status">
              ${ui.plural(counts.rows, 'row')} checked so far. <noscript>Reload the page to see progress.</noscript>
            </p>
          </section>
        `
      }
      ${
        (status === 'importing' || status === 'done') &&
        html`
          <section class="panel stack" aria-labelledby="progress">
            <h2 id="progress">${status === 'done' ? 'Import complete' : 'Importing contacts'}</h2>
            <label for="bar" class="visually-hidden">Import progress</label>
            <progress id="bar" class="import-progress" max="${progress.max}" value="${progress.value}"></progress>
            <p role="status">${progress.text}<noscript> Reload the page to see progress.</noscript></p>
            ${
              status === 'done' &&
              html`
                <div class="row">
                  <a class="button primary" href="${ui.to(`/contacts?import=${id}`)}">View contacts</a>
                  <a class="button quiet" href="${ui.to(`/calls?import=${id}`)}">View calls</a>
                </div>
              `
            }
          </section>
        `
      }
      ${undoImportSection({ ui, id, undo })}
      ${
        !['checking', 'undoing', 'undone'].includes(status) &&
        counts.rows > 0 &&
        html`
          <dl class="stats">
            <div class="stat"><dt>Rows</dt><dd>${ui.count(counts.rows)}</dd></div>
            <div class="stat"><dt>New contacts</dt><dd>${ui.count(counts.new)}</dd></div>
            <div class="stat"><dt>Updates</dt><dd>${ui.count(counts.existing)}</dd></div>
            <div class="stat"><dt>Duplicates</dt><dd>${ui.count(counts.duplicate)}</dd></div>
            <div class="stat"><dt>Errors</dt><dd>${ui.count(counts.invalid)}</dd></div>
            <div class="stat"><dt>Rows that say don't call</dt><dd>${ui.count(counts.do_not_call)}</dd></div>
            <div class="stat"><dt>Already on do-not-call list</dt><dd>${ui.count(counts.on_do_not_call_list)}</dd></div>
            ${counts.no_consent > 0 && html`<div class="stat"><dt>No consent</dt><dd>${ui.count(counts.no_consent)}</dd></div>`}
            ${counts.frequency > 0 && html`<div class="stat"><dt>Not callable within 7 days</dt><dd>${ui.count(counts.frequency)}</dd></div>`}
            ${counts.country > 0 && html`<div class="stat"><dt>Country not called</dt><dd>${ui.count(counts.country)}</dd></div>`}
          </dl>
        `
      }
      ${
        canStart
          ? pageForm(
              startForm,
              { action: startPath, class: 'panel stack form', 'aria-labelledby': 'start' },
              html`
                <h2 id="start">Import ${ui.plural(importable, 'row')}</h2>
                ${formMessage(startForm)}
                <p class="soft">
                  Blank columns leave existing contact data unchanged. Cells that contain only “N/A”, “null”, “undefined”, “none”, or “-” count
                  as blank. Duplicates and rows with errors are skipped.
                  ${counts.do_not_call + counts.on_do_not_call_list > 0 && 'Contacts on the do-not-call list are imported but not called.'}
                  ${counts.no_consent > 0 && "People who didn't consent are imported but not called."}
                  ${counts.country > 0 && "So are people in countries that the workspace doesn't call."}
                </p>
                ${
                  lacksConsentDetails &&
                  html`
                    <p class="notice" data-tone="warn">
                      No consent is stored, because its source or its date is missing. To add it, go back to the columns.
                    </p>
                  `
                }
                ${field({
                  form: startForm,
                  name: 'campaign_id',
                  label: addContactTexts.campaign_id.label,
                  value: chosen,
                  options: campaigns,
                  hint: 'If a contact already has a call that is waiting or in progress in this campaign, no other call is queued.',
                })}
                ${
                  stopped.length > 0 &&
                  html`
                    <div class="notice" data-tone="warn">
                      <p>Some contacts aren't called, because a rule doesn't allow it:</p>
                      ${stopped.map((line) => html`<p>“${line.campaign}”: ${line.counts}</p>`)}
                    </div>
                  `
                }
                ${
                  missing.length > 0 &&
                  html`
                    <div class="notice" data-tone="warn">
                      <p>Some contacts have no value that a campaign's greeting needs:</p>
                      ${missing.map((line) => html`<p>“${line.campaign}”: ${line.counts}</p>`)}
                    </div>
                  `
                }
                <div class="form-actions">
                  <button class="primary">Import contacts</button>
                  ${columnsPath ? html`<a class="button quiet" href="${columnsPath}">Back to columns</a>` : null}
                </div>
              `,
            )
          : status === 'checked' && counts.rows === 0
            ? html`
              <p class="notice" data-tone="warn">The file has no rows. Add a row for each person below the column names, then upload the file again.</p>
            `
            : status === 'checked'
              ? html`
                <div class="notice" data-tone="warn">
                  <p>No rows can be imported. Fix the errors listed below and upload the file again, or go back to the columns.</p>
                </div>
              `
              : null
      }
      ${status === 'checked' && importable === 0 && columnsPath !== '' && html`<div><a class="button quiet" href="${columnsPath}">Back to columns</a></div>`}
      ${fileNotice ? html`<p class="notice" data-tone="warn">${fileNotice}</p>` : null}
      ${
        preview.length > 0 &&
        html`
          <section class="panel flush import-preview" aria-labelledby="preview">
            <h2 id="preview">${counts.rows > preview.length ? `First ${preview.length} rows` : 'Rows'}</h2>
            <div class="table-scroll" tabindex="0" role="group" aria-label="Rows as read">
              <table>
                <thead>
                  <tr>
                    <th scope="col" class="number">Row</th><th scope="col">${labels.contact.phone_number}</th><th scope="col">Name</th>
                    <th scope="col">${labels.contact.time_zone}</th><th scope="col">${labels.contact.consent}</th>
                    <th scope="col">What happens</th>
                  </tr>
                </thead>
                <tbody>
                  ${preview.map(
                    (line) => html`
                      <tr>
                        <th scope="row" class="number">${line.row}</th>
                        <td class="nowrap" data-label="${labels.contact.phone_number}">
                          ${line.phoneNumber ? line.phoneNumber : html`<span class="soft">–</span>`}
                          ${line.country ? html`<div class="soft small-text">${line.country}</div>` : null}
                        </td>
                        <td data-label="Name">${line.name ? line.name : html`<span class="soft">–</span>`}</td>
                        <td data-label="${labels.contact.time_zone}">${line.timeZone ? line.timeZone : html`<span class="soft">–</span>`}</td>
                        <td data-label="${labels.contact.consent}">
                          ${
                            line.consent
                              ? html`${line.consent.source}
                                <div class="soft small-text">${line.consent.kind && `${line.consent.kind}, `}${ui.day(line.consent.at)}</div>
                              `
                              : html`<span class="soft">–</span>`
                          }
                        </td>
                        <td data-label="What happens">
                          ${badge(line.effect)}
                          ${line.details.map((detail) => html`<div class="small-text">${detail}</div>`)}
                        </td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
          </section>
        `
      }
      ${
        fields.length > 0 &&
        html`
          <section class="panel" aria-labelledby="columns">
            <h2 id="columns">Columns</h2>
            <dl class="facts">
              ${fields.map((column) => html`<dt>${column.header}</dt><dd>${column.field}</dd>`)}
            </dl>
            ${variables.length > 0 && html`<p class="small-text">Imported as variables: ${variables.join(', ')}.</p>`}
          </section>
        `
      }
      ${issueTables.map(
        ({ id: tableId, title, text, issues, more }) => html`
          <section class="panel flush" aria-labelledby="${tableId}">
            <h2 id="${tableId}">${title}</h2>
            ${text ? html`<p class="small-text">${text}</p>` : null}
            <div class="table-scroll" tabindex="0" role="group" aria-label="${title}">
              <table>
                <thead><tr><th scope="col" class="number">Row</th><th scope="col">Column</th><th scope="col">Issue</th></tr></thead>
                <tbody>
                  ${issues.map(
                    (issue) => html`
                      <tr>
                        <th scope="row" class="number">${issue.row}</th>
                        <td>${issue.column ? issue.column : html`<span class="soft">–</span>`}</td>
                        <td>${issue.message}</td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
            <p class="small-text">
              ${more > 0 && html`${ui.plural(more, 'more row')}.`}
              ${
                (tableId === 'issues-skipped' || tableId === 'issues-not-blocked') &&
                counts.invalid + counts.failed > 0 &&
                html`
                  <a href="${ui.to(`/contacts/import/${id}/rejected`)}">Download rejected rows</a> to correct them, then upload that file. ·
                `
              }
              <a href="${ui.to(`/contacts/import/${id}/issues`)}">Download all issues as CSV</a>
            </p>
          </section>
        `,
      )}
    </div>
    `
  },
)
