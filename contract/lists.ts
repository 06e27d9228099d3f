import * as z from 'zod'
import { text } from './primitives.ts'

/** Paging of every list. */
export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
})
export type ListQuery = z.infer<typeof ListQuery>

/** Paging, and a part of the name to look for. */
export const SearchQuery = ListQuery.extend({
  search: text(200).optional().describe('part of the name, in any case'),
})
export type SearchQuery = z.infer<typeof SearchQuery>

/** The envelope of every list. No total: a page costs the same however large the workspace. */
export const listOf = <Item extends z.ZodType>(item: Item, id: string) =>
  z
    .object({
      results: z.array(item),
      next: z.url().nullable(),
      previous: z.url().nullable(),
    })
    .meta({ id })
