import * as z from 'zod'
import { type FileErrorCode, isFileErrorCode } from './parse-result.ts'

/** What the process that read a file tells of it. */
export const ParseResult = z.union([
  z.object({ text: z.string() }),
  z.object({ fault: z.custom<FileErrorCode>(isFileErrorCode) }),
])
export type ParseResult = z.infer<typeof ParseResult>
