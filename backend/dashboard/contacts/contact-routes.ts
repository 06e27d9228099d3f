import * as z from 'zod'
import { addNote } from '../../contacts/contact-notes.ts'
import type { Deps } from '../../deps.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { type PageContext, pathTo } from '../page/page-context.ts'
import { actionRoute, type DashboardRoute, noInput, redirectTo } from '../page/page-route.ts'
import { addToCampaignPage, callNowPage } from './call-contact-pages.ts'
import { exportContactsDownload } from './contact-export.ts'
import { editContactPage, newContactPage } from './contact-form-pages.ts'
import { importActions, importIssuesDownload, importPage, importResultPage } from './contact-import-pages.ts'
import { contactListPage } from './contact-list-page.ts'
import { contactPage } from './contact-page.ts'
import { doNotCallRoutes } from './do-not-call-page.ts'

/** The people who are called. */
export const contactRoutes = (deps: Deps): DashboardRoute[] => [
  contactListPage(deps),
  newContactPage(deps),
  ...doNotCallRoutes(deps),
  importPage(deps),
  importResultPage(deps),
  ...importActions(deps),
  importIssuesDownload(deps),
  exportContactsDownload(deps),
  contactPage(deps),
  editContactPage(deps),
  callNowPage(deps),
  addToCampaignPage(deps),

  actionRoute({
    path: '/contacts/:id/notes',
    form: z.object({ text: z.string().trim().max(2000) }),
    run: async (tx, context, { text }) => {
      await addNote(tx, context.workspace.id, context.id, { callId: null, text })
      return redirectTo(contactPath(context), 'The note is kept.')
    },
    back: (context) => contactPath(context),
  }),

  actionRoute({
    path: '/contacts/:id/erase',
    form: noInput,
    run: async (tx, context) => {
      await eraseContact(tx, { workspaceId: context.workspace.id, contactId: context.id })
      return redirectTo(contactPath(context), 'The contact was erased.')
    },
    back: (context) => contactPath(context),
  }),
]

const contactPath = (context: PageContext) => pathTo(context, `/contacts/${context.id}`)
