import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { pager, time } from '../../platform/views/elements.ts'
import { confirm, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import {
  getGoogleAccount,
  removeGoogleAccount,
  saveGoogleAccount,
} from '../../tools/spreadsheets/google-account.ts'
import {
  createSpreadsheet,
  deleteSpreadsheet,
  exportSpreadsheet,
  getSpreadsheet,
  listSpreadsheets,
  type SpreadsheetDetails,
} from '../../tools/spreadsheets/spreadsheets.ts'
import {
  defineAction,
  defineDownload,
  defineForm,
  definePage,
  defineView,
  noInput,
  redirectTo,
} from '../page/define-page.ts'
import { formText, OptionalId } from '../page/forms.ts'
import { lockRights, pathTo, requireOwner, TextParam } from '../page/page-context.ts'
import { spreadsheetListView } from './spreadsheet-list-view.ts'

const newSpreadsheetView = defineView(
  ({ ui, form }) => html`
    <a class="crumb" href="${ui.to('/spreadsheets')}">${icon('back')} Spreadsheets</a>
    <h1>New spreadsheet</h1>
    ${pageForm(
      form,
      { class: 'panel stack form', novalidate: true },
      html`
        ${formMessage(form)}
        ${field({
          form,
          name: 'name',
          label: 'Name',
          required: true,
          maxlength: 200,
          autocomplete: 'off',
          hint: 'For example “Booked inspections”.',
        })}
        ${field({
          form,
          name: 'columns',
          label: 'Columns',
          required: true,
          rows: 6,
          placeholder: 'Name\nDate\nReason',
          hint: "One per line. Agents use these names to decide which value goes where. You can't change the columns later.",
        })}
        <div class="form-actions">
          <button class="primary">Create spreadsheet</button>
          <a class="button quiet" href="${ui.to('/spreadsheets')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

/** Maximum length of the list of columns: a hundred of the longest names, one per line. */
const maxColumnsLength = 100 * (200 + '\r\n'.length)

const NewSpreadsheet = z.object({
  name: formText.default(''),
  columns: boundedText(maxColumnsLength).default(''),
})

export const spreadsheetListPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) => {
    const account = await getGoogleAccount(deps, workspace.id)
    return spreadsheetListView('Spreadsheets', {
      spreadsheets: await listSpreadsheets(deps, workspace.id),
      googleEmail: account?.clientEmail ?? null,
    })
  },
})

export const newSpreadsheetPage = defineForm({
  query: noInput,
  form: NewSpreadsheet,
  show: async () => newSpreadsheetView('New spreadsheet', {}),
  submit: async (tx, context, { name, columns }) => {
    const { id } = await createSpreadsheet(tx, context.workspace.id, {
      name,
      columns: splitLines(columns),
    })
    return redirectTo(
      pathTo(context, `/spreadsheets/${id}`),
      'Spreadsheet created. Assign the tool “spreadsheet_append” to an agent and choose this spreadsheet.',
    )
  },
})

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const googleAccountView = defineView(
  ({ ui, form }, { googleEmail }: { googleEmail: string | null }) => html`
    <a class="crumb" href="${ui.to('/spreadsheets')}">${icon('back')} Spreadsheets</a>
    <h1>Google service account</h1>
    ${googleEmail !== null && html`<p class="notice">This workspace uses ${googleEmail}. A new key replaces it.</p>`}
    <section class="panel form" aria-labelledby="how">
      <h2 id="how">How to get the key</h2>
      <ol class="how">
        <li>In the Google Cloud console, choose a project and enable the Google Sheets API.</li>
        <li>Under “IAM &amp; Admin → Service Accounts”, create a service account. It doesn't need a role.</li>
        <li>Open the account and choose “Keys → Add key → Create new key → JSON”. Your browser downloads a file.</li>
        <li>
          Copy the contents of the file and paste them below. Then share each Google spreadsheet with the account's email
          address (<code>client_email</code>) as an editor.
        </li>
      </ol>
    </section>
    ${pageForm(
      form,
      { class: 'panel stack form', novalidate: true },
      html`
        ${formMessage(form)}
        ${field({
          form,
          name: 'google_account',
          label: 'Key file (JSON)',
          required: true,
          rows: 10,
          code: true,
          placeholder: '{ "type": "service_account", … }',
          hint: "Outdial stores only client_email and private_key, and encrypts the key. You can't view the key after you save.",
        })}
        <div class="form-actions">
          <button class="primary">Save account</button>
          <a class="button quiet" href="${ui.to('/spreadsheets')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

export const googleAccountPage = defineForm({
  query: noInput,
  form: z.object({ google_account: formText.default('') }),
  show: async (deps, context) => {
    requireOwner(context)
    const account = await getGoogleAccount(deps, context.workspace.id)
    return googleAccountView('Google service account', { googleEmail: account?.clientEmail ?? null })
  },
  submit: async (tx, context, { google_account: keyJson }) => {
    await lockRights(tx, context, 'owner')
    const { clientEmail } = await saveGoogleAccount(tx, context.workspace.id, keyJson)
    return redirectTo(
      pathTo(context, '/spreadsheets'),
      `Google service account saved. Share each spreadsheet with ${clientEmail} as an editor.`,
    )
  },
})

interface SpreadsheetData {
  spreadsheet: SpreadsheetDetails
  previous: string | null
  next: string | null
}

const spreadsheetView = defineView(({ ui, form }, { previous, next, spreadsheet }: SpreadsheetData) => {
  const { items } = spreadsheet.rows
  return html`
    <a class="crumb" href="${ui.to('/spreadsheets')}">${icon('back')} Spreadsheets</a>
    <div class="page-head">
      <div>
        <h1>${spreadsheet.name}</h1>
        <p class="soft">
          ${
            spreadsheet.writers.length > 0
              ? html`Agents that add rows: ${spreadsheet.writers.join(', ')}.`
              : 'No agents add rows yet. Assign the tool “spreadsheet_append” to an agent and choose this spreadsheet.'
          }
        </p>
      </div>
      <div class="page-head-actions">
        <a class="button quiet small" href="${ui.to(`/spreadsheets/${spreadsheet.id}/csv`)}" download>Download CSV</a>
        ${confirm({
          form,
          id: 'delete',
          action: ui.to(`/spreadsheets/${spreadsheet.id}/delete`),
          label: 'Delete',
          question: `Delete the spreadsheet “${spreadsheet.name}”?`,
          detail:
            "This also deletes all of its rows. You can't undo this. Download the rows first if you need them.",
          confirm: 'Delete spreadsheet',
        })}
      </div>
    </div>
    <section class="panel flush" aria-label="Rows">
      <div class="table-scroll" tabindex="0" role="group" aria-label="Rows, newest first">
        <table>
          <thead><tr>${spreadsheet.columns.map((column) => html`<th scope="col">${column}</th>`)}<th scope="col">Added</th></tr></thead>
          <tbody>
            ${items.map(
              (row) => html`
                <tr>
                  ${row.cells.map((cell) => html`<td class="cell">${cell}</td>`)}
                  <td class="nowrap soft">${time(ui, row.created_at)}</td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
      ${
        items.length === 0 &&
        html`
          <div class="empty">
            <p><strong>No rows${previous === null ? ' yet' : ''}.</strong></p>
            <p>Rows that agents add during calls appear here.</p>
          </div>
        `
      }
      ${pager({ previous, next })}
    </section>
    <section class="panel" aria-labelledby="id">
      <h2 id="id">Spreadsheet ID</h2>
      <p class="soft">
        Use this ID as <code>spreadsheet_id</code> when you configure the tool “spreadsheet_append” from the command line.
      </p>
      <div class="row">
        <code id="spreadsheet-id">${spreadsheet.id}</code>
        <button type="button" class="quiet small" data-copy="spreadsheet-id">Copy</button>
      </div>
    </section>
  `
})

const Query = z.object({
  before: OptionalId,
})

const pageSize = 50

const SpreadsheetParams = z.object({ spreadsheetId: TextParam })

export const spreadsheetPage = definePage({
  params: SpreadsheetParams,
  query: Query,
  show: async (deps, context) => {
    const { before } = context.query
    const spreadsheet = await getSpreadsheet(deps, context.workspace.id, context.params.spreadsheetId, {
      before,
      limit: pageSize,
    })
    const path = pathTo(context, `/spreadsheets/${spreadsheet.id}`)
    const { items, hasMore } = spreadsheet.rows
    const last = items.at(-1)
    return spreadsheetView(spreadsheet.name, {
      spreadsheet,
      previous: before === undefined ? null : path,
      next: hasMore && last !== undefined ? `${path}?before=${last.id}` : null,
    })
  },
})

export const removeGoogleAccountAction = defineAction({
  form: noInput,
  run: async (tx, context) => {
    await lockRights(tx, context, 'owner')
    await removeGoogleAccount(tx, context.workspace.id)
    return redirectTo(
      pathTo(context, '/spreadsheets'),
      'Google service account removed. Its key was deleted.',
    )
  },
  back: (context) => pathTo(context, '/spreadsheets'),
})

export const exportSpreadsheetDownload = defineDownload({
  params: SpreadsheetParams,
  query: noInput,
  send: async (deps, { workspace, params }) => {
    const { name, parts } = await exportSpreadsheet(deps, workspace.id, params.spreadsheetId)
    return { name: `${name}.csv`, type: 'text/csv; charset=utf-8', body: parts }
  },
})

export const deleteSpreadsheetAction = defineAction({
  params: SpreadsheetParams,
  form: noInput,
  run: async (tx, context) => {
    await deleteSpreadsheet(tx, context.workspace.id, context.params.spreadsheetId)
    return redirectTo(pathTo(context, '/spreadsheets'), 'Spreadsheet and rows deleted.')
  },
  back: (context) => pathTo(context, `/spreadsheets/${encodeURIComponent(context.params.spreadsheetId)}`),
})
