import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { getSpreadsheet, type SpreadsheetDetails } from '../../spreadsheets/get-spreadsheet.ts'
import { show } from '../page/page-route.ts'
import { template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { OptionalId } from '../fields.ts'

interface OneData {
  spreadsheet: SpreadsheetDetails
  path: string
  previous: string | null
  next: string | null
}

const one = template<OneData>('dashboard/spreadsheets/spreadsheet-page')

const Query = z.object({
  before: OptionalId,
})

const pageSize = 50

export const spreadsheetPage = (deps: Deps) =>
  show({
    path: '/spreadsheets/:other',
    query: Query,
    show: async (visit) => {
      const { before } = visit.query
      const spreadsheet = await getSpreadsheet(deps)(visit.workspace.id, visit.other, {
        before,
        limit: pageSize,
      })
      const path = pathTo(visit, `/spreadsheets/${spreadsheet.id}`)
      const { items, more } = spreadsheet.rows
      const last = items.at(-1)
      return one(spreadsheet.name, {
        spreadsheet,
        path,
        previous: before === undefined ? null : path,
        next: more && last !== undefined ? `${path}?before=${last.id}` : null,
      })
    },
  })
