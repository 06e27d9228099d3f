import { attributes, type Html, html } from '../../platform/views/html.ts'
import { type PathContext, pathTo } from './page-context.ts'

/** A link that filters a list. */
export interface FilterLink {
  label: string
  address: string
  isHere: boolean
}

/** Shows the links that filter a list, next to its heading. */
export const filterLinks = (label: string, filters: readonly FilterLink[]): Html => html`
  <nav class="row" aria-label="${label}">
    ${filters.map(
      (filter) => html`
        <a class="button quiet small" href="${filter.address}"${attributes({ 'aria-current': filter.isHere && 'true' })}>${filter.label}</a>
      `,
    )}
  </nav>
`

/** Returns the address of a list with a query. Omits parameters that are undefined. */
export function toListAddress(
  context: PathContext,
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  return pathTo(context, params.size === 0 ? path : `${path}?${params.toString()}`)
}
