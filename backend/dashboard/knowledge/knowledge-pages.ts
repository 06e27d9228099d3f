import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { invalidField } from '../../core/errors.ts'
import { addDocument } from '../../knowledge/add-document.ts'
import { limits } from '../../knowledge/parse/parse-limits.ts'
import { readFile } from '../../knowledge/parse/read-file.ts'
import type { DocumentValues } from '../../knowledge/knowledge-store.ts'
import { form, none } from '../page/page-route.ts'
import { submitOnce } from '../page/submit-once.ts'
import { ChosenFile } from '../uploaded-file.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'

const add = template<object>('dashboard/knowledge/add-document-page')

const NewDocument = z.object({
  title: z.string().default(''),
  body: z.string().default(''),
  file: ChosenFile,
  _once: z.string().optional(),
})

/** Pasted, or read from a file: that takes seconds, so that the transaction begins only when its text is known. */
export const addPage = (deps: Deps) =>
  form({
    path: '/knowledge/new',
    query: none,
    form: NewDocument,
    fileLimit: limits.file,
    isOnce: false,
    show: async () => add('Add a document', {}),
    submit: async (_, visit, { _once, ...given }) => {
      const document = await documentOf(given)
      const path = pathTo(visit, '/knowledge/new')
      return submitOnce(deps, visit, { path, raw: { _once, ...document } }, async (own) => {
        const { id } = await addDocument(own)(visit.workspace.id, document)
        return done(pathTo(visit, `/knowledge/${id}`), 'The document was added: agents find it from now on.')
      })
    },
  })

async function documentOf({
  title,
  body,
  file,
}: Omit<z.output<typeof NewDocument>, '_once'>): Promise<DocumentValues> {
  if (file === undefined) {
    if (body.trim() === '') throw invalidField('body', 'required', 'Paste a text, or choose a file above.')
    return { title, body }
  }
  if (body.trim() !== '') {
    throw invalidField(
      'file',
      'conflict',
      'Paste a text or choose a file, not both: each is a document of its own.',
    )
  }
  const read = await readFile(file)
  return { title: title.trim() === '' ? read.title : title, body: read.text }
}
