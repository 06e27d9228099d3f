import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { isStorableText, rule, validateByRules } from '../../platform/core/validate-rules.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import {
  deleteDocumentRow,
  type DocumentValues,
  insertDocument,
  replacePassages,
  updateDocument,
} from './knowledge-store.ts'
import { splitIntoPassages } from './split-passages.ts'

export type { DocumentValues } from './knowledge-store.ts'

const text = (label: 'title' | 'text', maxLength: number) =>
  z
    .string()
    .trim()
    .refine((value) => value !== '', rule('required', `The document ${label} is empty. Enter a ${label}.`))
    .refine(
      (value) => value.length <= maxLength,
      rule(
        'too_long',
        `The document ${label} can have at most ${maxLength.toLocaleString('en-US')} characters. Shorten it.`,
      ),
    )
    .refine(
      isStorableText,
      rule(
        'invalid_text',
        `The document ${label} contains characters that can't be saved. Type it again, or paste it as plain text.`,
      ),
    )

const NewDocument = z.object({ title: text('title', 200), body: text('text', 200_000) })
const DocumentEdit = NewDocument.partial()

/**
 * Adds a document that the workspace's agents can search: plain text with blank lines between paragraphs.
 *
 * @throws {ApiError} validation_failed
 */
export async function addDocument(
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  input: DocumentValues,
): Promise<{ id: number }> {
  const { title, body } = validateByRules(NewDocument, input)
  return inTransaction(deps, async (tx) => {
    const { id } = await insertDocument(tx.db, workspaceId, { title, body }, tx.clock.now())
    await replacePassages(tx.db, workspaceId, { id, title }, splitIntoPassages(body))
    return { id }
  })
}

/**
 * Edits a document. A field that is left out keeps its value.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export async function editDocument(
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  documentId: number,
  edit: Partial<DocumentValues>,
): Promise<void> {
  const values = validateByRules(DocumentEdit, edit)
  await inTransaction(deps, async (tx) => {
    const document = await updateDocument(tx.db, workspaceId, documentId, values, tx.clock.now())
    if (document === undefined) throw documentNotFound()
    const { title, body } = document
    await replacePassages(tx.db, workspaceId, { id: documentId, title }, splitIntoPassages(body))
  })
}

export const documentNotFound = () =>
  new FormError(
    'not_found',
    'This workspace has no document with this ID. Choose one on the Knowledge base page.',
  )

/**
 * Deletes a document with its passages.
 *
 * @throws {ApiError} not_found
 */
export async function deleteDocument(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  documentId: number,
): Promise<void> {
  if (!(await deleteDocumentRow(deps.db, workspaceId, documentId))) throw documentNotFound()
}
