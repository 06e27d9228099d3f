import { Readable } from 'node:stream'
import { exportContacts } from './contact-export.ts'
import type { Deps } from '../../deps.ts'
import { downloadRoute, noInput } from '../page/page-route.ts'

export const exportContactsDownload = (deps: Deps) =>
  downloadRoute({
    path: '/contacts/export',
    query: noInput,
    send: ({ workspace }) =>
      Promise.resolve({
        name: `contacts-${workspace.name}.csv`,
        type: 'text/csv; charset=utf-8',
        body: Readable.from(exportContacts(deps, workspace.id)),
      }),
  })
