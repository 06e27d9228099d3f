/** Returns the CSRF token of a page's forms. */
export function csrfTokenOf(html: string): string {
  const [, token] = /name="_csrf" value="([^"]+)"/.exec(html) ?? []
  if (token === undefined) throw new Error('the page has no form with a CSRF token')
  return token
}
