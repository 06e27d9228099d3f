import { boundedText } from '@outdial/contract'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { PageError } from '../../platform/views/page-error.ts'
import { unreadableFormError } from './page-errors.ts'

/** Maximum size of a form. A larger one is rejected before it's read. */
const maxFormBytes = 64 * 1024 * 1024

/** Maximum length of all text fields of a form together, in characters. */
const maxTextLength = 4 * 1024 * 1024

/**
 * Reads a multipart form into `request.body`, with the text fields and the file by name. Bytes beyond the file limit
 * are read but discarded, because browsers don't show the response until they've sent everything.
 *
 * @throws {PageError} 400 for a form that browsers don't send, 413 for a form that is too large
 */
export async function readUpload(request: FastifyRequest, fileLimit: number): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > maxFormBytes) throw unreadableFormError(413)
  try {
    request.body = await readParts(request, fileLimit)
  } catch (error) {
    throw error instanceof PageError ? error : unreadableFormError(400)
  }
}

async function readParts(request: FastifyRequest, fileLimit: number): Promise<object> {
  const fields = new Map<string, string | string[] | UploadedFile>()
  let textLength = 0
  const parts = request.parts({
    limits: { fileSize: fileLimit, files: 1, fields: 100, fieldSize: 1024 * 1024 },
  })
  for await (const part of parts) {
    if (part.type === 'field') {
      const value = typeof part.value === 'string' ? part.value : ''
      textLength += value.length
      if (part.valueTruncated || textLength > maxTextLength) throw unreadableFormError(413)
      const previous = fields.get(part.fieldname)
      const values =
        typeof previous === 'string'
          ? [previous, value]
          : Array.isArray(previous)
            ? [...previous, value]
            : value
      fields.set(part.fieldname, values)
      continue
    }
    const chunks: Buffer[] = []
    for await (const chunk of part.file) chunks.push(chunk as Buffer)
    fields.set(part.fieldname, {
      name: part.filename,
      type: part.mimetype,
      bytes: Buffer.concat(chunks),
      isTooLarge: part.file.truncated,
    })
  }
  return Object.fromEntries(fields)
}

/** The file of a form. Undefined if none was chosen: browsers then send an empty file without a name. */
export const ChosenFile = z
  .object({
    name: boundedText(1_000).default(''),
    type: boundedText(1_000).default(''),
    bytes: z.custom<Buffer>((value) => Buffer.isBuffer(value)),
    isTooLarge: z.boolean(),
  })
  .optional()
  .transform((file): UploadedFile | undefined =>
    file === undefined || (file.name === '' && file.bytes.length === 0) ? undefined : file,
  )

/** A file uploaded with a form that sets `fileLimit`. The form's schema receives it under the field's name. */
interface UploadedFile {
  name: string
  type: string
  bytes: Buffer
  /** True if the file is larger than the limit. `bytes` ends at the limit. */
  isTooLarge: boolean
}
