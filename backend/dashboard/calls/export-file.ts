import { Readable } from 'node:stream'
import { exportCalls } from './call-export.ts'
import type { Deps } from '../../deps.ts'
import { downloadRoute } from '../page/page-route.ts'
import { CallsQuery, toCallFilter } from './call-filter.ts'

/** What the list shows, all of its pages, as a table to keep. */
export const exportCallsDownload = (deps: Deps) =>
  downloadRoute({
    path: '/calls/export',
    query: CallsQuery,
    send: async ({ query, workspace }) => ({
      name: 'calls.csv',
      type: 'text/csv; charset=utf-8',
      body: Readable.from(exportCalls(deps, workspace.id, toCallFilter(query, workspace))),
    }),
  })
