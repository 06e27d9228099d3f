import { toPage } from '../../platform/core/pagination.ts'

/** A position in a list that's sorted by ID, newest first. */
interface Cursor {
  before: number | undefined
  after: number | undefined
}

/**
 * Returns the rows of a page, newest first, and the cursors of its neighbors.
 *
 * @param found rows below `before`, newest first, or above `after`, oldest first; one more than `pageSize` if there are
 *   more
 */
export function toKeysetPage<Row extends { id: number }>(
  found: Row[],
  { before, after }: Cursor,
  pageSize: number,
): { rows: Row[]; previous: { after: number } | null; next: { before: number } | null } {
  const { items, hasMore } = toPage(found, pageSize)
  const rows = after === undefined ? items : items.toReversed()
  const newest = rows[0]?.id
  const oldest = rows.at(-1)?.id
  const hasNewer = after === undefined ? before !== undefined : hasMore
  const hasOlder = after === undefined ? hasMore : true
  return {
    rows,
    previous: hasNewer && newest !== undefined ? { after: newest } : null,
    next: hasOlder && oldest !== undefined ? { before: oldest } : null,
  }
}
