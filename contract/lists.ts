import * as z from 'zod'
import { text } from './primitives.ts'

/** Paging parameters of every list. */
export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
})
export type ListQuery = z.infer<typeof ListQuery>

/** Paging parameters and a search. */
export const SearchQuery = ListQuery.extend({
  search: text(200).optional().describe('Part of the name. Not case-sensitive.'),
})
export type SearchQuery = z.infer<typeof SearchQuery>

/** Accepts a parameter that is repeated, or whose values are separated by commas. */
export const oneOrMany = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value) =>
      value === undefined
        ? undefined
        : [value].flat().flatMap((part: unknown) => (typeof part === 'string' ? part.split(',') : [part])),
    z.array(item).optional(),
  )

/** Returns the schema of a list. There's no total, so a page costs the same in a workspace of any size. */
export const listOf = <Item extends z.ZodType>(item: Item, id: string) =>
  z
    .object({
      results: z.array(item),
      next: z.url().nullable(),
      previous: z.url().nullable(),
    })
    .meta({ id })
