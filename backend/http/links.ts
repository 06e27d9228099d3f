import type { ListQuery } from '@outdial/contract'
import type { Page } from '../core/pagination.ts'

/** The envelope of a list, with absolute links that keep every filter. `address` is the list's own, absolute. */
export function envelope<Item>(page: Page<Item>, address: string, query: ListQuery) {
  const { limit, offset } = query
  const link = (to: number) => `${address}?${parametersOf({ ...query, offset: to }).toString()}`
  return {
    results: page.items,
    next: page.more ? link(offset + limit) : null,
    previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
  }
}

function parametersOf(query: object): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) parameters.append(name, String(one))
    }
  }
  return parameters
}
