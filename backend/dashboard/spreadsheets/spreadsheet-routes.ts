import { Readable } from 'node:stream'
import type { Deps } from '../../deps.ts'
import { deleteSpreadsheet, exportSpreadsheet } from '../../spreadsheets/spreadsheets.ts'
import { removeGoogleAccount } from '../../spreadsheets/google-account.ts'
import { pathTo, requireOwner } from '../page/page-context.ts'
import { actionRoute, type DashboardRoute, downloadRoute, noInput, redirectTo } from '../page/page-route.ts'
import {
  googleAccountPage,
  newSpreadsheetPage,
  spreadsheetListPage,
  spreadsheetPage,
} from './spreadsheet-pages.ts'

/** The tables that agents add rows to. */
export const spreadsheetRoutes = (deps: Deps): DashboardRoute[] => [
  spreadsheetListPage(deps),
  newSpreadsheetPage(),
  googleAccountPage(deps),

  actionRoute({
    path: '/spreadsheets/google/remove',
    form: noInput,
    run: async (tx, context) => {
      requireOwner(context)
      await removeGoogleAccount(tx, context.workspace.id)
      return redirectTo(
        pathTo(context, '/spreadsheets'),
        'The Google account was removed, and its key forgotten.',
      )
    },
    back: (context) => pathTo(context, '/spreadsheets'),
  }),

  spreadsheetPage(deps),

  downloadRoute({
    path: '/spreadsheets/:other/csv',
    query: noInput,
    send: async ({ workspace, other }) => {
      const { name, parts } = await exportSpreadsheet(deps, workspace.id, other)
      return { name: `${name}.csv`, type: 'text/csv; charset=utf-8', body: Readable.from(parts) }
    },
  }),

  actionRoute({
    path: '/spreadsheets/:other/delete',
    form: noInput,
    run: async (tx, context) => {
      await deleteSpreadsheet(tx, context.workspace.id, context.other)
      return redirectTo(pathTo(context, '/spreadsheets'), 'The spreadsheet was deleted with its rows.')
    },
    back: (context) => pathTo(context, `/spreadsheets/${encodeURIComponent(context.other)}`),
  }),
]
