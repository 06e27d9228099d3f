export interface Page<Item> {
  items: Item[]
  hasMore: boolean
}

/** Builds a page of at most `limit` rows. Stores read one row more than `limit`; if it exists, there's a next page. */
export const toPage = <Item>(rows: Item[], limit: number): Page<Item> => ({
  items: rows.slice(0, limit),
  hasMore: rows.length > limit,
})
