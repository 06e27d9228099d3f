import { boundedText, trimmedText } from '@outdial/contract'
import * as z from 'zod'
import { invalidField } from '../../core/form-errors.ts'
import { addDocument, deleteDocument, type DocumentValues, editDocument } from '../../knowledge/documents.ts'
import { parseLimits } from '../../knowledge/parse/parse-limits.ts'
import { readFile } from '../../knowledge/parse/read-file.ts'
import { defaultPassageLimit, type FoundPassage, searchKnowledge } from '../../knowledge/search-knowledge.ts'
import { defineAction, defineForm, definePage, noInput, redirectTo, template } from '../page/define-page.ts'
import { formText, PageNumber } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { submitOnce } from '../page/submit-once.ts'
import { ChosenFile } from '../page/upload.ts'
import { type Document, type DocumentSummary, getDocument, listDocuments } from './knowledge-queries.ts'

const addDocumentView = template<object>('dashboard/knowledge/add-document-page')

/** Above the limit of a document, because line breaks count twice in a form. */
const maxBodyLength = 400_000

const NewDocument = z.object({
  title: formText.default(''),
  body: boundedText(maxBodyLength).default(''),
  file: ChosenFile,
  _once: formText.optional(),
})

/** Reads the file before the transaction begins, because that can take seconds. */
export const addDocumentPage = defineForm({
  query: noInput,
  form: NewDocument,
  fileLimit: parseLimits.maxFileBytes,
  isOnce: false,
  show: async () => addDocumentView('Add document', {}),
  submit: async (deps, context, { _once, ...fields }) => {
    const document = await toDocument(context.workspace.id, fields)
    const path = pathTo(context, '/knowledge/new')
    return submitOnce(deps, context, { path, raw: { _once, ...document } }, async (tx) => {
      const { id } = await addDocument(tx, context.workspace.id, document)
      return redirectTo(pathTo(context, `/knowledge/${id}`), 'Document added. Agents can find it now.')
    })
  },
})

async function toDocument(
  workspaceId: number,
  { title, body, file }: Omit<z.output<typeof NewDocument>, '_once'>,
): Promise<DocumentValues> {
  if (file === undefined) {
    if (body.trim() === '') throw invalidField('body', 'required', 'Paste text, or choose a file above.')
    return { title, body }
  }
  if (body.trim() !== '') {
    throw invalidField(
      'file',
      'conflict',
      'Paste text or choose a file, not both. Add a separate document for each.',
    )
  }
  const parsed = await readFile(workspaceId, file)
  return { title: title.trim() === '' ? parsed.title : title, body: parsed.text }
}

interface ListData {
  search: string
  /** Search results, best match first; null without a search. */
  found: { passages: FoundPassage[]; more: FoundPassage[] } | null
  documents: DocumentSummary[]
  previous: string | null
  next: string | null
}

const knowledgeView = template<ListData>('dashboard/knowledge/knowledge-page')

const Filter = z.object({
  search: trimmedText(500).catch('').default(''),
  page: PageNumber,
})

const pageSize = 50

/** Passages that a search shows. Agents get only the first `defaultPassageLimit`. */
const maxFound = 10

export const knowledgePage = definePage({
  query: Filter,
  show: async (deps, context) => {
    const { search, page } = context.query
    if (search !== '') {
      const found = await searchKnowledge(deps, context.workspace.id, search, maxFound)
      return knowledgeView('Knowledge', {
        search,
        found: { passages: found.slice(0, defaultPassageLimit), more: found.slice(defaultPassageLimit) },
        documents: [],
        previous: null,
        next: null,
      })
    }
    const { items, hasMore } = await listDocuments(deps, context.workspace.id, { page, size: pageSize })
    const address = (to: number) => pathTo(context, `/knowledge?page=${to}`)
    return knowledgeView('Knowledge', {
      search,
      found: null,
      documents: items,
      previous: page > 1 ? address(page - 1) : null,
      next: hasMore ? address(page + 1) : null,
    })
  },
})

const documentView = template<{ document: Document }>('dashboard/knowledge/document-page')
const editDocumentView = template<{ document: Document }>('dashboard/knowledge/edit-document-page')

const DocumentFields = z.object({ title: formText.default(''), body: boundedText(maxBodyLength).default('') })

export const documentPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params: { id } }) => {
    const document = await getDocument(deps, workspace.id, id)
    return documentView(document.title, { document })
  },
})

export const editDocumentPage = defineForm({
  params: IdParams,
  query: noInput,
  form: DocumentFields,
  show: async (deps, { workspace, params: { id } }) => {
    const document = await getDocument(deps, workspace.id, id)
    return editDocumentView(`Edit document “${document.title}”`, { document })
  },
  loadEdited: async (tx, { workspace, params: { id } }) => {
    const { title, body } = await getDocument(tx, workspace.id, id)
    return { title, body }
  },
  submit: async (tx, context, values) => {
    await editDocument(tx, context.workspace.id, context.params.id, values)
    return redirectTo(
      pathTo(context, `/knowledge/${context.params.id}`),
      'Document saved. Agents can find the new text now.',
    )
  },
})

export const deleteDocumentAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await deleteDocument(tx, context.workspace.id, context.params.id)
    return redirectTo(pathTo(context, '/knowledge'), 'Document deleted. Agents can no longer find it.')
  },
  back: (context) => pathTo(context, '/knowledge'),
})
