import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { invalidField } from '../../core/errors.ts'
import { addDocument } from '../../knowledge/add-document.ts'
import { parseLimits } from '../../knowledge/parse/parse-limits.ts'
import { readFile } from '../../knowledge/parse/read-file.ts'
import type { DocumentValues } from '../../knowledge/knowledge-store.ts'
import { formRoute, noInput } from '../page/page-route.ts'
import { submitOnce } from '../page/submit-once.ts'
import { ChosenFile } from '../uploaded-file.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo } from '../visit.ts'

const addDocumentView = template<object>('dashboard/knowledge/add-document-page')

const NewDocument = z.object({
  title: z.string().default(''),
  body: z.string().default(''),
  file: ChosenFile,
  _once: z.string().optional(),
})

/** Pasted, or read from a file: that takes seconds, so that the transaction begins only when its text is known. */
export const addDocumentPage = (deps: Deps) =>
  formRoute({
    path: '/knowledge/new',
    query: noInput,
    form: NewDocument,
    fileLimit: parseLimits.maxFileBytes,
    isOnce: false,
    show: async () => addDocumentView('Add a document', {}),
    submit: async (_, context, { _once, ...fields }) => {
      const document = await toDocument(fields)
      const path = pathTo(context, '/knowledge/new')
      return submitOnce(deps, context, { path, raw: { _once, ...document } }, async (tx) => {
        const { id } = await addDocument(tx)(context.workspace.id, document)
        return redirectTo(
          pathTo(context, `/knowledge/${id}`),
          'The document was added: agents find it from now on.',
        )
      })
    },
  })

async function toDocument({
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
  const parsed = await readFile(file)
  return { title: title.trim() === '' ? parsed.title : title, body: parsed.text }
}
