/** One page of a list, and whether another follows. */
export interface Page<Item> {
  items: Item[]
  more: boolean
}

/** Stores read one row more than asked: it tells whether there is a next page. */
export const toPage = <Item>(rows: Item[], limit: number): Page<Item> => ({
  items: rows.slice(0, limit),
  more: rows.length > limit,
})
