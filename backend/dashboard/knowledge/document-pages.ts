import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { editDocument } from '../../knowledge/edit-document.ts'
import { type Document, getDocument } from '../../knowledge/get-document.ts'
import { formRoute, noInput, pageRoute } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo } from '../visit.ts'

const documentView = template<{ document: Document }>('dashboard/knowledge/document-page')
const editDocumentView = template<{ document: Document }>('dashboard/knowledge/edit-document-page')

const DocumentFields = z.object({ title: z.string().default(''), body: z.string().default('') })

export const documentPage = (deps: Deps) =>
  pageRoute({
    path: '/knowledge/:id',
    query: noInput,
    show: async ({ workspace, id }) => {
      const document = await getDocument(deps)(workspace.id, id)
      return documentView(document.title, { document })
    },
  })

export const editDocumentPage = (deps: Deps) =>
  formRoute({
    path: '/knowledge/:id/edit',
    query: noInput,
    form: DocumentFields,
    show: async ({ workspace, id }) => {
      const document = await getDocument(deps)(workspace.id, id)
      return editDocumentView(`Edit ${document.title}`, { document })
    },
    loadEdited: async (tx, { workspace, id }) => {
      const { title, body } = await getDocument(tx)(workspace.id, id)
      return { title, body }
    },
    submit: async (tx, context, values) => {
      await editDocument(tx)(context.workspace.id, context.id, values)
      return redirectTo(
        pathTo(context, `/knowledge/${context.id}`),
        'The document was saved: agents find the new text.',
      )
    },
  })
