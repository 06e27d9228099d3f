import * as z from 'zod'
import { addNote } from '../../contacts/contact-notes.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import type { Deps } from '../../deps.ts'
import { act, type Line, none } from '../page/page-route.ts'
import { done } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { callLaterPage, callNowPage } from './call-contact-pages.ts'
import { contactPage } from './contact-page.ts'
import { doNotCallLines } from './do-not-call-page.ts'
import { editPage, newPage } from './contact-form-pages.ts'
import { exportFile } from './export-file.ts'
import { importActs, importedPage, importPage, problemsFile } from './contact-import-pages.ts'
import { listPage } from './contact-list-page.ts'

/** The people who are called. */
export const contactLines = (deps: Deps): Line[] => [
  listPage(deps),
  newPage(deps),
  ...doNotCallLines(deps),
  importPage(deps),
  importedPage(deps),
  ...importActs(deps),
  problemsFile(deps),
  exportFile(deps),
  contactPage(deps),
  editPage(deps),
  callNowPage(deps),
  callLaterPage(deps),

  act({
    path: '/contacts/:id/notes',
    form: z.object({ text: z.string().trim().max(2000) }),
    act: async (own, visit, { text }) => {
      const key = { workspaceId: visit.workspace.id, contactId: visit.id }
      await addNote(own)(key, { callId: null, text })
      return done(contactPath(visit), 'The note is kept.')
    },
    back: (visit) => contactPath(visit),
  }),

  act({
    path: '/contacts/:id/erase',
    form: none,
    act: async (own, visit) => {
      await eraseContact(own)({ workspaceId: visit.workspace.id, contactId: visit.id })
      return done(contactPath(visit), 'The contact was erased.')
    },
    back: (visit) => contactPath(visit),
  }),
]

const contactPath = (visit: Visit) => pathTo(visit, `/contacts/${visit.id}`)
