import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import {
  getGoogleAccount,
  removeGoogleAccount,
  saveGoogleAccount,
} from '../../spreadsheets/google-account.ts'
import {
  createSpreadsheet,
  deleteSpreadsheet,
  exportSpreadsheet,
  getSpreadsheet,
  listSpreadsheets,
  type SpreadsheetDetails,
  type SpreadsheetSummary,
} from '../../spreadsheets/spreadsheets.ts'
import {
  defineAction,
  defineDownload,
  defineForm,
  definePage,
  noInput,
  redirectTo,
  template,
} from '../page/define-page.ts'
import { formText, OptionalId } from '../page/forms.ts'
import { lockRights, pathTo, requireOwner, TextParam } from '../page/page-context.ts'

const spreadsheetListView = template<{ spreadsheets: SpreadsheetSummary[]; googleEmail: string | null }>(
  'dashboard/spreadsheets/spreadsheet-list-page',
)
const newSpreadsheetView = template<object>('dashboard/spreadsheets/new-spreadsheet-page')

/** A hundred names of the longest, one per line. */
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

const googleAccountView = template<{ googleEmail: string | null }>(
  'dashboard/spreadsheets/google-account-page',
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

const spreadsheetView = template<SpreadsheetData>('dashboard/spreadsheets/spreadsheet-page')

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
