import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { editDocument } from '../../knowledge/edit-document.ts'
import { type Document, getDocument } from '../../knowledge/get-document.ts'
import { form, none, show } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'

const one = template<{ document: Document }>('dashboard/knowledge/document-page')
const edit = template<{ document: Document }>('dashboard/knowledge/edit-document-page')

const Edit = z.object({ title: z.string().default(''), body: z.string().default('') })

export const documentPage = (deps: Deps) =>
  show({
    path: '/knowledge/:id',
    query: none,
    show: async ({ workspace, id }) => {
      const document = await getDocument(deps)(workspace.id, id)
      return one(document.title, { document })
    },
  })

export const editPage = (deps: Deps) =>
  form({
    path: '/knowledge/:id/edit',
    query: none,
    form: Edit,
    show: async ({ workspace, id }) => {
      const document = await getDocument(deps)(workspace.id, id)
      return edit(`Edit ${document.title}`, { document })
    },
    edited: async (own, { workspace, id }) => {
      const { title, body } = await getDocument(own)(workspace.id, id)
      return { title, body }
    },
    submit: async (own, visit, values) => {
      await editDocument(own)(visit.workspace.id, visit.id, values)
      return done(
        pathTo(visit, `/knowledge/${visit.id}`),
        'The document was saved: agents find the new text.',
      )
    },
  })
