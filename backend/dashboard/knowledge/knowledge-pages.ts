import { boundedText, trimmedText } from '@outdial/contract'
import * as z from 'zod'
import { invalidField } from '../../platform/core/form-errors.ts'
import { time } from '../../platform/views/elements.ts'
import { confirm, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import {
  addDocument,
  deleteDocument,
  type DocumentValues,
  editDocument,
} from '../../tools/knowledge/documents.ts'
import { parseLimits } from '../../tools/knowledge/parse/parse-limits.ts'
import { readFile } from '../../tools/knowledge/parse/read-file.ts'
import { defaultPassageLimit, searchKnowledge } from '../../tools/knowledge/search-knowledge.ts'
import { defineAction, defineForm, definePage, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { formText, PageNumber } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { submitOnce } from '../page/submit-once.ts'
import { ChosenFile } from '../page/upload.ts'
import { type Document, getDocument, listDocuments } from './knowledge-queries.ts'
import { knowledgeView } from './knowledge-view.ts'

const addDocumentView = defineView(
  ({ ui, form }) => html`
    <a class="crumb" href="${ui.to('/knowledge')}">${icon('back')} Knowledge</a>
    <h1>Add document</h1>
    ${pageForm(
      form,
      { enctype: 'multipart/form-data', class: 'panel stack form', novalidate: true },
      html`
        ${formMessage(form)}
        ${field({
          form,
          name: 'title',
          label: 'Title',
          maxlength: 200,
          autocomplete: 'off',
          hint: 'Agents see the title with each passage they find, for example “Prices 2027”. Leave blank to use the file name.',
        })}
        ${field({
          form,
          name: 'file',
          label: 'File',
          type: 'file',
          isEither: true,
          accept: '.txt,.md,.markdown,.html,.htm,.pdf,.docx',
          hint: '.txt, .md, .html, .pdf, or .docx, up to 20 MB. Only the text is used, not images or layout.',
        })}
        <p class="or">or</p>
        ${field({
          form,
          name: 'body',
          label: 'Text',
          isEither: true,
          rows: 12,
          hint: 'Up to 200,000 characters. Separate paragraphs with a blank line.',
        })}
        <div class="form-actions">
          <button class="primary">Add document</button>
          <a class="button quiet" href="${ui.to('/knowledge')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

/** Maximum length of the form's text. Higher than a document's, because a line break counts as two characters in a form. */
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

const Filter = z.object({
  search: trimmedText(500).catch('').default(''),
  page: PageNumber,
})

const pageSize = 50

/** Maximum number of passages that a search shows. Agents get only the first `defaultPassageLimit`. */
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

const documentView = defineView(
  ({ ui, form }, { document }: { document: Document }) => html`
    <a class="crumb" href="${ui.to('/knowledge')}">${icon('back')} Knowledge</a>
    <div class="page-head">
      <div>
        <h1>${document.title}</h1>
        <p class="soft">
          ${ui.plural(document.body.length, 'character')} in ${ui.plural(document.passages.length, 'passage')} ·
          updated ${time(ui, document.updated_at, 'phrase')}
        </p>
      </div>
      <div class="page-head-actions">
        <a class="button quiet small" href="${ui.to(`/knowledge/${document.id}/edit`)}">Edit</a>
        ${confirm({
          form,
          id: 'delete',
          action: ui.to(`/knowledge/${document.id}/delete`),
          label: 'Delete',
          question: `Delete the document “${document.title}”?`,
          detail: "Agents will no longer find this document. You can't undo this.",
          confirm: 'Delete document',
        })}
      </div>
    </div>
    <section class="panel" aria-labelledby="passages">
      <div class="panel-head"><h2 id="passages">Passages</h2><span class="soft small-text">the parts of the document that agents find and quote</span></div>
      <ol class="passages">
        ${document.passages.map(
          (passage) => html`
            <li><p class="passage">${passage}</p></li>
          `,
        )}
      </ol>
    </section>
  `,
)

const editDocumentView = defineView(({ ui, form }, { document }: { document: Document }) => {
  const back = ui.to(`/knowledge/${document.id}`)
  return html`
    <a class="crumb" href="${back}">${icon('back')} ${document.title}</a>
    <h1>Edit document</h1>
    ${pageForm(
      form,
      { class: 'panel stack form wide', novalidate: true },
      html`
        ${formMessage(form)}
        ${field({
          form,
          name: 'title',
          label: 'Title',
          value: document.title,
          required: true,
          maxlength: 200,
          autocomplete: 'off',
        })}
        ${field({
          form,
          name: 'body',
          label: 'Text',
          value: document.body,
          required: true,
          rows: 24,
          hint: 'Up to 200,000 characters. Separate paragraphs with a blank line.',
        })}
        <div class="form-actions"><button class="primary">Save</button><a class="button quiet" href="${back}">Cancel</a></div>
      `,
    )}
  `
})

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
