import type { ListQuery } from '@outdial/contract'
import type { Page } from '../core/pagination.ts'

/** The envelope of a list, with absolute links that keep every filter. `address` is the list's own, absolute. */
export function toListResponse<Item>(page: Page<Item>, listUrl: string, query: ListQuery) {
  const { limit, offset } = query
  const linkTo = (to: number) => `${listUrl}?${toSearchParams({ ...query, offset: to }).toString()}`
  return {
    results: page.items,
    next: page.more ? linkTo(offset + limit) : null,
    previous: offset > 0 ? linkTo(Math.max(0, offset - limit)) : null,
  }
}

function toSearchParams(query: object): URLSearchParams {
  const searchParams = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) searchParams.append(name, String(item))
    }
  }
  return searchParams
}
