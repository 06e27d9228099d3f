import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { createSpreadsheet } from '../../spreadsheets/manage-spreadsheets.ts'
import { getGoogleAccount } from '../../spreadsheets/get-google-account.ts'
import { listSpreadsheets } from '../../spreadsheets/list.ts'
import type { ListedSpreadsheet } from '../../spreadsheets/spreadsheet-store.ts'
import { form, none, show } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'

const list = template<{ spreadsheets: ListedSpreadsheet[]; googleEmail: string | null }>(
  'dashboard/spreadsheets/spreadsheet-list-page',
)
const create = template<object>('dashboard/spreadsheets/new-spreadsheet-page')

const NewSpreadsheet = z.object({ name: z.string().default(''), columns: z.string().default('') })

export const listPage = (deps: Deps) =>
  show({
    path: '/spreadsheets',
    query: none,
    show: async ({ workspace }) => {
      const account = await getGoogleAccount(deps)(workspace.id)
      return list('Spreadsheets', {
        spreadsheets: await listSpreadsheets(deps)(workspace.id),
        googleEmail: account?.clientEmail ?? null,
      })
    },
  })

export const createPage = () =>
  form({
    path: '/spreadsheets/new',
    query: none,
    form: NewSpreadsheet,
    show: async () => create('New spreadsheet', {}),
    submit: async (own, visit, { name, columns }) => {
      const { id } = await createSpreadsheet(own)(visit.workspace.id, { name, columns: linesOf(columns) })
      return done(
        pathTo(visit, `/spreadsheets/${id}`),
        'The spreadsheet was created: give it to an agent with the tool “spreadsheet_append”.',
      )
    },
  })

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
