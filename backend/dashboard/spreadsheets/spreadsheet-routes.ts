import { Readable } from 'node:stream'
import type { Deps } from '../../deps.ts'
import { deleteSpreadsheet } from '../../spreadsheets/delete-spreadsheet.ts'
import { exportCsv } from '../../spreadsheets/export-spreadsheet.ts'
import { removeGoogleAccount } from '../../spreadsheets/remove-google-account.ts'
import { act, file, type Line, none } from '../page/page-route.ts'
import { done } from '../view.ts'
import { pathTo, requireOwner } from '../visit.ts'
import { googlePage } from './google-page.ts'
import { createPage, listPage } from './spreadsheet-pages.ts'
import { spreadsheetPage } from './spreadsheet-page.ts'

/** The tables that agents add rows to. */
export const spreadsheetLines = (deps: Deps): Line[] => [
  listPage(deps),
  createPage(),
  googlePage(deps),

  act({
    path: '/spreadsheets/google/remove',
    form: none,
    act: async (own, visit) => {
      requireOwner(visit)
      await removeGoogleAccount(own)(visit.workspace.id)
      return done(pathTo(visit, '/spreadsheets'), 'The Google account was removed, and its key forgotten.')
    },
    back: (visit) => pathTo(visit, '/spreadsheets'),
  }),

  spreadsheetPage(deps),

  file({
    path: '/spreadsheets/:other/csv',
    query: none,
    send: async ({ workspace, other }) => {
      const { name, parts } = await exportCsv(deps)(workspace.id, other)
      return { name: `${name}.csv`, type: 'text/csv; charset=utf-8', body: Readable.from(parts) }
    },
  }),

  act({
    path: '/spreadsheets/:other/delete',
    form: none,
    act: async (own, visit) => {
      await deleteSpreadsheet(own)(visit.workspace.id, visit.other)
      return done(pathTo(visit, '/spreadsheets'), 'The spreadsheet was deleted with its rows.')
    },
    back: (visit) => pathTo(visit, `/spreadsheets/${encodeURIComponent(visit.other)}`),
  }),
]
