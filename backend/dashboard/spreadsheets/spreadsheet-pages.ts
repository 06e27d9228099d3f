import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import {
  createSpreadsheet,
  getSpreadsheet,
  listSpreadsheets,
  type SpreadsheetDetails,
  type SpreadsheetSummary,
} from '../../spreadsheets/spreadsheets.ts'
import { getGoogleAccount, saveGoogleAccount } from '../../spreadsheets/google-account.ts'
import { OptionalId } from '../page/forms.ts'
import { pathTo, requireOwner } from '../page/page-context.ts'
import { formRoute, noInput, pageRoute, redirectTo, template } from '../page/page-route.ts'

const spreadsheetListView = template<{ spreadsheets: SpreadsheetSummary[]; googleEmail: string | null }>(
  'dashboard/spreadsheets/spreadsheet-list-page',
)
const newSpreadsheetView = template<object>('dashboard/spreadsheets/new-spreadsheet-page')

const NewSpreadsheet = z.object({ name: z.string().default(''), columns: z.string().default('') })

export const spreadsheetListPage = (deps: Deps) =>
  pageRoute({
    path: '/spreadsheets',
    query: noInput,
    show: async ({ workspace }) => {
      const account = await getGoogleAccount(deps, workspace.id)
      return spreadsheetListView('Spreadsheets', {
        spreadsheets: await listSpreadsheets(deps, workspace.id),
        googleEmail: account?.clientEmail ?? null,
      })
    },
  })

export const newSpreadsheetPage = () =>
  formRoute({
    path: '/spreadsheets/new',
    query: noInput,
    form: NewSpreadsheet,
    show: async () => newSpreadsheetView('New spreadsheet', {}),
    submit: async (tx, context, { name, columns }) => {
      const { id } = await createSpreadsheet(tx, context.workspace.id, { name, columns: splitLines(columns) })
      return redirectTo(
        pathTo(context, `/spreadsheets/${id}`),
        'The spreadsheet was created: give it to an agent with the tool “spreadsheet_append”.',
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

export const googleAccountPage = (deps: Deps) =>
  formRoute({
    path: '/spreadsheets/google',
    query: noInput,
    form: z.object({ google_account: z.string().default('') }),
    show: async (context) => {
      requireOwner(context)
      const account = await getGoogleAccount(deps, context.workspace.id)
      return googleAccountView('Google account', { googleEmail: account?.clientEmail ?? null })
    },
    submit: async (tx, context, { google_account: keyJson }) => {
      requireOwner(context)
      const { clientEmail } = await saveGoogleAccount(tx, context.workspace.id, keyJson)
      return redirectTo(
        pathTo(context, '/spreadsheets'),
        `The Google account was saved. Share each spreadsheet with ${clientEmail} as an editor.`,
      )
    },
  })

interface SpreadsheetData {
  spreadsheet: SpreadsheetDetails
  path: string
  previous: string | null
  next: string | null
}

const spreadsheetView = template<SpreadsheetData>('dashboard/spreadsheets/spreadsheet-page')

const Query = z.object({
  before: OptionalId,
})

const pageSize = 50

export const spreadsheetPage = (deps: Deps) =>
  pageRoute({
    path: '/spreadsheets/:other',
    query: Query,
    show: async (context) => {
      const { before } = context.query
      const spreadsheet = await getSpreadsheet(deps, context.workspace.id, context.other, {
        before,
        limit: pageSize,
      })
      const path = pathTo(context, `/spreadsheets/${spreadsheet.id}`)
      const { items, more } = spreadsheet.rows
      const last = items.at(-1)
      return spreadsheetView(spreadsheet.name, {
        spreadsheet,
        path,
        previous: before === undefined ? null : path,
        next: more && last !== undefined ? `${path}?before=${last.id}` : null,
      })
    },
  })
