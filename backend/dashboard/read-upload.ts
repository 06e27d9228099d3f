import type { FastifyRequest } from 'fastify'
import type { UploadedFile } from './lines.ts'

/** Bytes of a whole form beyond which it is not read to its end. */
export const longestForm = 64 * 1024 * 1024

/**
 * Reads a multipart form into `request.body`, as a plain form is: texts by name, and its file. What is more than the
 * limit is thrown away, but read: a browser shows no answer before it has sent everything.
 */
export async function readUpload(request: FastifyRequest, fileLimit: number): Promise<void> {
  const fields: Record<string, string | string[] | UploadedFile> = {}
  const parts = request.parts({
    limits: { fileSize: fileLimit, files: 1, fields: 100, fieldSize: 1024 * 1024 },
  })
  for await (const part of parts) {
    if (part.type === 'field') {
      const value = typeof part.value === 'string' ? part.value : ''
      const before = fields[part.fieldname]
      fields[part.fieldname] =
        typeof before === 'string' ? [before, value] : Array.isArray(before) ? [...before, value] : value
      continue
    }
    const chunks: Buffer[] = []
    for await (const chunk of part.file) chunks.push(chunk as Buffer)
    fields[part.fieldname] = {
      name: part.filename,
      type: part.mimetype,
      bytes: Buffer.concat(chunks),
      isTooLarge: part.file.truncated,
    }
  }
  request.body = Object.fromEntries(Object.entries(fields))
}
