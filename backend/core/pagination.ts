/** One page of a list, and whether another follows. */
export interface Page<Item> {
  items: Item[]
  hasMore: boolean
}

/** Stores read one row more than asked: it tells whether there is a next page. */
export const toPage = <Item>(rows: Item[], limit: number): Page<Item> => ({
  items: rows.slice(0, limit),
  hasMore: rows.length > limit,
})
