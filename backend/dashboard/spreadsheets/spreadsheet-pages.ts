import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { createSpreadsheet } from '../../spreadsheets/manage-spreadsheets.ts'
import { getGoogleAccount } from '../../spreadsheets/get-google-account.ts'
import { listSpreadsheets } from '../../spreadsheets/list.ts'
import type { SpreadsheetSummary } from '../../spreadsheets/spreadsheet-store.ts'
import { formRoute, noInput, pageRoute } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo } from '../visit.ts'

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
      const account = await getGoogleAccount(deps)(workspace.id)
      return spreadsheetListView('Spreadsheets', {
        spreadsheets: await listSpreadsheets(deps)(workspace.id),
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
      const { id } = await createSpreadsheet(tx)(context.workspace.id, { name, columns: splitLines(columns) })
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
