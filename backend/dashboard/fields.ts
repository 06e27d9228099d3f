import { QueryId } from '@outdial/contract'
import * as z from 'zod'

/** A field that may be sent several times, or not at all: boxes that are ticked. */
export const StringList = z.preprocess((value) => [value ?? []].flat(), z.array(z.string()))

/** The page of a list in an address. Whatever else is typed there is the first one. */
export const PageNumber = z.coerce.number().int().min(1).max(10_000).catch(1)

/** An id in an address. Whatever else is typed there is none. */
export const OptionalId = QueryId.optional().catch(undefined)
