import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { getSpreadsheet, type SpreadsheetDetails } from '../../spreadsheets/get-spreadsheet.ts'
import { pageRoute } from '../page/page-route.ts'
import { template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { OptionalId } from '../fields.ts'

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
      const spreadsheet = await getSpreadsheet(deps)(context.workspace.id, context.other, {
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
