export interface Page<Item> {
  items: Item[]
  hasMore: boolean
}

/** Builds a page of `limit` rows. Stores read one more row, which shows that there's a next page. */
export const toPage = <Item>(rows: Item[], limit: number): Page<Item> => ({
  items: rows.slice(0, limit),
  hasMore: rows.length > limit,
})
