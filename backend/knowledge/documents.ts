import { invalidField, notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import {
  deleteDocumentRow,
  type DocumentValues,
  insertDocument,
  replacePassages,
  updateDocument,
} from './knowledge-store.ts'
import { splitIntoPassages } from './split-passages.ts'

const maxLengths = { title: 200, body: 200_000 }

/**
 * What is given of a document, without blanks around it.
 *
 * @throws {ApiError} validation_failed where a field is blank, too long or cannot be stored
 */
export function validateDocument<Values extends Partial<DocumentValues>>(values: Values): Values {
  const checked = { ...values }
  for (const field of ['title', 'body'] as const) {
    const text = values[field]
    if (text !== undefined) checked[field] = validateText(field, text)
  }
  return checked
}

function validateText(field: keyof DocumentValues, input: string): string {
  const text = input.trim()
  if (text === '') throw invalidField(field, 'required', `The ${field} of the document is empty.`)
  if (text.length > maxLengths[field]) {
    const message = `The ${field} of the document must have at most ${maxLengths[field]} characters.`
    throw invalidField(field, 'too_long', message)
  }
  if (text.includes('\u0000') || !text.isWellFormed()) {
    throw invalidField(field, 'invalid_text', `The ${field} of the document must be plain text.`)
  }
  return text
}

/**
 * Adds a document to what a workspace's agents know: plain text, paragraphs parted by blank lines.
 *
 * @throws {ApiError} validation_failed
 */
export async function addDocument(
  deps: Deps,
  workspaceId: number,
  input: DocumentValues,
): Promise<{ id: number }> {
  const { title, body } = validateDocument(input)
  return inTransaction(deps, async ({ db, clock }) => {
    const { id } = await insertDocument(db, workspaceId, { title, body }, clock.now())
    await replacePassages(db, workspaceId, { id, title }, splitIntoPassages(body))
    return { id }
  })
}

/**
 * Edits a document; what is left out stays. Agents find the new text from then on, and the old no more.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export async function editDocument(
  deps: Deps,
  workspaceId: number,
  documentId: number,
  edit: Partial<DocumentValues>,
): Promise<void> {
  const values = validateDocument(edit)
  await inTransaction(deps, async ({ db, clock }) => {
    const document = await updateDocument(db, workspaceId, documentId, values, clock.now())
    if (document === undefined) throw documentNotFound()
    const { title, body } = document
    await replacePassages(db, workspaceId, { id: documentId, title }, splitIntoPassages(body))
  })
}

export const documentNotFound = () => notFound('There is no such document in this workspace.')

/**
 * Deletes a document with its passages.
 *
 * @throws {ApiError} not_found
 */
export async function deleteDocument(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  documentId: number,
): Promise<void> {
  if (!(await deleteDocumentRow(db, workspaceId, documentId))) throw documentNotFound()
}
