import { time } from '../../platform/views/elements.ts'
import { confirm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { type SpreadsheetSummary } from '../../tools/spreadsheets/spreadsheets.ts'
import { knowledgeTabs } from '../knowledge/knowledge-tabs.ts'
import { defineView } from '../page/define-page.ts'

export const spreadsheetListView = defineView(
  (
    { ui, isOwner, form },
    { spreadsheets, googleEmail }: { spreadsheets: SpreadsheetSummary[]; googleEmail: string | null },
  ) => html`
    <div class="page-head">
      <div>
        <h1>Spreadsheets</h1>
        <p class="lead">Tables that agents add rows to during calls, for example appointments, orders, or complaints.</p>
      </div>
      <a class="button primary" href="${ui.to('/spreadsheets/new')}">New spreadsheet</a>
    </div>
    ${knowledgeTabs({ ui, here: '/spreadsheets' })}
    <section class="panel flush" aria-label="Spreadsheets">
      ${
        spreadsheets.length === 0
          ? html`
            <div class="empty">
              <p><strong>No spreadsheets yet.</strong></p>
              <p>
                Create a spreadsheet with the columns you need. Then open an <a href="${ui.to('/agents')}">agent</a>, assign
                the tool “spreadsheet_append”, and choose the spreadsheet.
              </p>
              <a class="button quiet" href="${ui.to('/spreadsheets/new')}">Create your first spreadsheet</a>
            </div>
          `
          : html`
            <div class="table-scroll" tabindex="0" role="group" aria-label="Spreadsheets">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Spreadsheet</th>
                    <th scope="col" class="number">Rows</th>
                    <th scope="col">Created at</th>
                    <th scope="col"><span class="visually-hidden">Download</span></th>
                  </tr>
                </thead>
                <tbody>
                  ${spreadsheets.map(
                    (spreadsheet) => html`
                      <tr>
                        <th scope="row">
                          <a href="${ui.to(`/spreadsheets/${spreadsheet.id}`)}">${spreadsheet.name}</a>
                          <small>${spreadsheet.columns.join(' · ')}</small>
                        </th>
                        <td class="number">${ui.count(spreadsheet.rows)}</td>
                        <td class="nowrap">${time(ui, spreadsheet.created_at)}</td>
                        <td class="actions-cell">
                          <a
                            class="button quiet small"
                            href="${ui.to(`/spreadsheets/${spreadsheet.id}/csv`)}"
                            download
                            aria-label="Download “${spreadsheet.name}” as CSV"
                          >CSV</a>
                        </td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
          `
      }
    </section>
    <section class="panel" aria-labelledby="google">
      <div class="panel-head"><h2 id="google">Google Sheets</h2>
        ${
          isOwner &&
          html`
            <div class="row">
              <a
                class="button quiet small"
                href="${ui.to('/spreadsheets/google')}"
              >${googleEmail === null ? 'Add service account' : 'Replace key'}</a>
              ${
                googleEmail !== null &&
                confirm({
                  form,
                  id: 'remove-google',
                  action: ui.to('/spreadsheets/google/remove'),
                  label: 'Remove',
                  question: 'Remove the Google service account?',
                  detail: 'Outdial deletes the key. Agents can no longer add rows to Google Sheets.',
                  confirm: 'Remove account',
                })
              }
            </div>
          `
        }
      </div>
      ${
        googleEmail === null
          ? html`
            <p class="soft">
              To let agents add rows to Google Sheets, add a Google service account.
              ${!isOwner && 'Only an owner can add one.'}
            </p>
          `
          : html`
            <p>Share each spreadsheet with this email address as an editor, and put the column names in its first row:</p>
            <div class="row">
              <code id="google-email">${googleEmail}</code>
              <button type="button" class="quiet small" data-copy="google-email">Copy</button>
            </div>
          `
      }
    </section>
  `,
)
