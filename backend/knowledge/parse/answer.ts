import * as z from 'zod'
import { type FaultCode, isFaultCode } from './parse-result.ts'

/** What the process that read a file tells of it. */
export const Answer = z.union([
  z.object({ text: z.string() }),
  z.object({ fault: z.custom<FaultCode>(isFaultCode) }),
])
export type Answer = z.infer<typeof Answer>
