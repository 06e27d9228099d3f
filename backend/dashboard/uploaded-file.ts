import * as z from 'zod'
import type { UploadedFile } from './page/page-route.ts'

/** The file of a form; undefined where none was chosen: browsers send one without name and content then. */
export const ChosenFile = z
  .object({
    name: z.string().default(''),
    type: z.string().default(''),
    bytes: z.custom<Buffer>((value) => Buffer.isBuffer(value)),
    isTooLarge: z.boolean(),
  })
  .optional()
  .transform((file): UploadedFile | undefined =>
    file === undefined || (file.name === '' && file.bytes.length === 0) ? undefined : file,
  )
